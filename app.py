"""tlmviz: `streamlit run app.py`. Page config, sections, warm-up, run."""

import streamlit as st

st.set_page_config(page_icon="pages/icon.svg", layout="wide", initial_sidebar_state=240)

from tlmviz.ui import compute, frame, menu, state, translation_state  # noqa: E402  torch is imported here, before any page

compute.warm_up()
pages = menu.pages()
page = st.navigation(pages, expanded=True)
if page in pages[menu.TRANSLATION]:
    translation_state.model_menu()
else:
    frame.sidebar_status(state.model_menu())
page.run()
state.keep("model", "text", "mt", "english")

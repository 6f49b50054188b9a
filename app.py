"""tlmviz: `streamlit run app.py`. Page config, sections, warm-up, run."""

import streamlit as st

st.set_page_config(page_icon="pages/icon.svg", layout="wide", initial_sidebar_state=256)

from tlmviz.ui import compute, menu, state  # noqa: E402  torch is imported here, before any page

compute.warm_up()
pages = menu.pages()
page = st.navigation(pages, expanded=True)
menu.sidebar(next(section for section, entries in pages.items() if page in entries))
page.run()
state.keep("model", "text", "mt", "english", "smodel")

"""What Streamlit runs for every visitor: navigation, sidebar, the chosen page."""

from pathlib import Path

import streamlit as st

from pages import ALL, FIRST, HOME, SECTIONS
from tlmviz.hosting import metrics
from tlmviz.ui import address, frame, guess, language, link, menu, navigation, reading, texts, visit

HERE = Path(__file__).resolve().parent

st.set_page_config(page_icon=str(HERE / "icon.svg"), layout="wide", initial_sidebar_state=256)
entries = {page: navigation.entry(HERE / page.folder / "page.py", page.path, page.folder == HOME) for page in ALL}
st.html(navigation.STYLE)
opened = st.navigation(list(entries.values()), expanded=True)
page = next(page for page in ALL if entries[page] is opened)
st.set_page_config(page_title=page.title)
address.begin(page.folder)
link.follow_history()
language.choose()
if visit.is_bare() and page.folder == HOME:
    st.switch_page(next(entry for each, entry in entries.items() if each.folder == FIRST))


def show() -> None:
    """The menu, the row of the model and the reading level, and the page."""
    link.carry(opened.url_path, menu.SHARED)
    navigation.draw(HOME.rpartition("/")[2], SECTIONS)
    row = frame.above("top")
    absent = menu.absent(page.models, page.needs)
    model = (
        menu.choose(row, page.models, page.path, page.opens_on, page.translates)
        if page.models and absent is None
        else menu.none()
    )
    with row:
        reading.switch()
        guess.switch(asks=(HERE / page.folder / "guess.py").exists())
    if absent is not None:
        st.markdown(f"# {page.title}")
        st.info(frame.worded(absent))
    elif model is not None and model.task == "trace" and not page.reads_files:
        reader = next(each.title for each in ALL if each.reads_files)
        st.info(texts.needs_network(page.title, model.name, reader))
    else:
        opened.run()
    link.keep(*menu.SHARED, *(each.key for kind, each in menu.MENUS.items() if kind != page.models))


with metrics.PRESSES.labels(page.folder).time():
    show()

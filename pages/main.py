"""What Streamlit runs for every visitor: navigation, sidebar, the chosen page."""

from pathlib import Path

import streamlit as st

from pages import ALL, FIRST, HOME, MOVED, SECTIONS
from tlmviz.hosting import metrics
from tlmviz.ui import glossary, guess, link, menu, reading, texts, visit
from tlmviz.ui.tours.bar import bar

HERE = Path(__file__).resolve().parent

st.set_page_config(page_icon=str(HERE / "icon.svg"), layout="wide", initial_sidebar_state=256)
entries = {
    page: st.Page(
        HERE / page.folder / "page.py",
        title=page.title,
        icon=f":material/{page.icon}:",
        url_path=page.path,
        default=page.folder == HOME,
    )
    for page in ALL
}
opened = st.navigation(
    {title: [entries[page] for page in pages] for title, pages in SECTIONS.items()}, expanded=True
)
link.follow_history()
link.drop_infinite()
page = next(page for page in ALL if entries[page] is opened)
for moved in MOVED:
    if page.folder == moved.page and st.query_params.get(moved.key) == moved.value:
        kept = {
            key: values
            for key in st.query_params
            if key != moved.key and (values := st.query_params.get_all(key))
        }
        st.switch_page(
            next(entry for each, entry in entries.items() if each.folder == moved.to), query_params=kept
        )
if visit.is_bare() and page.folder == HOME:
    st.switch_page(next(entry for each, entry in entries.items() if each.folder == FIRST))


def show() -> None:
    """The sidebar, the tour's bar and the page."""
    link.carry(opened.url_path, menu.SHARED)
    reading.switch()
    guess.switch()
    model = (
        menu.sidebar(page.models, page.path, page.opens_on, page.translates) if page.models else menu.none()
    )
    glossary.listed()
    bar(page.path, HOME.rpartition("/")[2], {each.path: each.title for each in ALL})
    if model is not None and model.task == "trace" and not page.reads_files:
        reader = next(each.title for each in ALL if each.reads_files)
        st.info(texts.needs_network(page.title, model.name, reader))
    else:
        opened.run()
    link.keep(*menu.SHARED, *(each.key for kind, each in menu.MENUS.items() if kind != page.models))


with metrics.PRESSES.labels(page.folder).time():
    show()

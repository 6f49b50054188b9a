"""Long context: texts beyond the training length, any tile of any map, and what sparser attention costs and loses."""

import streamlit as st

from pages.kernels.long_context import controls, examples, words
from pages.kernels.long_context.indexer import view as indexer
from pages.kernels.long_context.maps import view as maps
from pages.kernels.long_context.masks import view as masks
from pages.kernels.long_context.reading import view as reading
from tlmviz.ui import frame, link

SHOW = dict(zip(controls.VIEWS, (maps.show, reading.show, masks.show, indexer.show)))


@frame.fragment
def show(model: str) -> None:
    """The text, what to look at, and the chosen part of the page."""
    choice = controls.choose(model)
    if choice is None:
        return
    SHOW[choice.view](choice)
    link.share()


frame.heading("Long context", words.CLAIM, examples.examples)
show(st.session_state["model"])

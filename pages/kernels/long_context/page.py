"""Long context: texts beyond the training length, any tile of any map, and what sparser attention costs and loses."""

import streamlit as st

from pages import IN
from pages.kernels.long_context import view
from pages.kernels.long_context.examples import examples
from pages.kernels.long_context.indexer import page as indexer
from pages.kernels.long_context.indexer.state import Indexing
from pages.kernels.long_context.maps import page as maps
from pages.kernels.long_context.maps.state import Tile
from pages.kernels.long_context.masks import page as masks
from pages.kernels.long_context.masks.state import Sparse
from pages.kernels.long_context.reading import page as reading
from pages.kernels.long_context.reading.state import Reading
from pages.kernels.long_context.state import INDEXER, MAPS, MASKS, TEXT, Long
from tlmviz.ui import frame

PARTS = {MAPS: maps.show, TEXT: reading.show, MASKS: masks.show, INDEXER: indexer.show}


@frame.fragment
def show(model: str) -> None:
    """The text, what to look at, and the chosen part of the page."""
    found = view.text(model)
    PARTS[found.chosen.view](found)


frame.heading(IN["kernels/long_context"], examples, Long, Tile, Reading, Sparse, Indexing)
show(st.session_state["model"])

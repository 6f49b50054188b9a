"""FlashAttention: one row, then one head, computed without storing the row or the map."""

import streamlit as st

from pages.kernels.flash_attention import controls, examples, words
from pages.kernels.flash_attention.costs import view as costs
from pages.kernels.flash_attention.one_row import view as one_row
from pages.kernels.flash_attention.tiles import view as tiles
from tlmviz.ui import frame, link

VIEWS = dict(zip(controls.PARTS, (one_row.show, tiles.show, costs.show)))


@frame.fragment
def show(model: str) -> None:
    """Text, head and query, and the chosen part of the page."""
    choice = controls.choose(model)
    if choice is None:
        return
    VIEWS[choice.part](choice)
    link.share()


frame.heading("FlashAttention", words.CLAIM, examples.examples)
show(st.session_state["model"])

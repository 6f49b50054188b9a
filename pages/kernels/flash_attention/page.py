"""FlashAttention: one head, then one row, computed without storing the map or the row; and what that saves."""

import streamlit as st

from pages import IN
from pages.kernels.flash_attention.costs import page as costs
from pages.kernels.flash_attention.costs.state import Costs
from pages.kernels.flash_attention.examples import examples
from pages.kernels.flash_attention.one_row import page as one_row
from pages.kernels.flash_attention.one_row.state import Row
from pages.kernels.flash_attention.state import COSTS, ONE_ROW, TILES, Part, choose
from pages.kernels.flash_attention.tiles import page as tiles
from pages.kernels.flash_attention.tiles.state import Tiles
from tlmviz.ui import address, frame

PARTS = {TILES: tiles.show, ONE_ROW: one_row.show}


@frame.fragment
def show(model: str) -> None:
    """The part's menu, text, head and query, and the chosen part."""
    part = Part.part.draw()
    Part.of_session()
    if part == COSTS:  # formulas: they read no text
        costs.show()
    elif (chosen := choose(model, part)) is not None:
        PARTS[part](*chosen)


if Row.logits.key in address.given() and Part.part.key not in address.given():
    Part.part.set(ONE_ROW)  # a link to logits that says no part
frame.heading(IN["kernels/flash_attention"], examples, Part, Tiles, Row, Costs)
show(st.session_state["model"])

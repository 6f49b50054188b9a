"""Norms: over which numbers a spread is measured, what a norm makes of it, and how far sums of many numbers spread
without."""

import streamlit as st

from pages import IN
from pages.numbers.norms.batch import page as batch
from pages.numbers.norms.batch.state import Maps, Tokens
from pages.numbers.norms.examples import examples
from pages.numbers.norms.spread import page as spread
from pages.numbers.norms.spread.state import Spreads
from pages.numbers.norms.state import MAPS, TOKENS, Part
from tlmviz.ui import frame


@frame.fragment
def show(model: str) -> None:
    """The part's menu, and the chosen part."""
    part = Part.part.draw()
    Part.of_session()
    if part == TOKENS:
        batch.tokens(model)
    elif part == MAPS:
        batch.maps(model)
    else:
        spread.show(model, part)


frame.heading(IN["numbers/norms"], examples, Part, Tokens, Maps, Spreads)
show(st.session_state["model"])

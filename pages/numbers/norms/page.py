"""Norms: over which numbers a spread is measured, what a norm makes of it, and how far sums of many numbers spread
without."""

import streamlit as st

from pages.numbers.norms.batch import page as batch
from pages.numbers.norms.batch.state import Maps, Tokens
from pages.numbers.norms.examples import examples
from pages.numbers.norms.spread import page as spread
from pages.numbers.norms.spread.state import Spreads
from pages.numbers.norms.state import MAPS, TOKENS, Part
from tlmviz.ui import frame
from tlmviz.ui.language import _


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


frame.heading(
    _("Norms"),
    _("Many numbers added up are large, and a model would drown in them: at each step it brings them to one size."),
    examples,
    Part,
    Tokens,
    Maps,
    Spreads,
)
show(st.session_state["model"])

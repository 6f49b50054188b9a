"""The part Lightning indexer, for the model that it was made for: what it scores and chooses, and what sparse attention
loses."""

from __future__ import annotations

import streamlit as st

from tlmviz.errors import Error
from tlmviz.ui import frame
from tlmviz.ui.language import _

from ..data import Text
from . import claims, view
from .data import TEACHER, checks


def show(found: Text) -> None:
    """Everything. Without an indexer that fits a warning says so: the page is not broken."""
    if found.chosen.model != TEACHER:
        said = _(
            "The lightning indexer was distilled from {model}; choose {model} in the Model menu to see it work.",
            model=TEACHER,
        )
        st.info(said)
        return
    try:
        _draw(found)
    except Error as error:
        st.warning(frame.worded(error))


def _draw(found: Text) -> None:
    shown = view.controls(found)
    frame.claim(claims.CLAIMS, shown)
    view.maps(shown)
    frame.next_step(claims.HINTS, shown)
    view.recall_and_losses(shown)
    st.markdown(claims.cost(shown))
    frame.claims(claims.CLAIMS, shown)
    frame.measured(lambda: checks(shown.model, shown.text, shown.layer))
    frame.fragment(view.rotation)(shown)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown.point))

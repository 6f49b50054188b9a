"""The part Trained maps: every model of the family on the same text."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import below, frame

from ..data import Reading
from . import claims, view
from .data import Data, family


def show(reading: Reading) -> None:
    """One layer's heads of every model, then one head of each, then what each model costs."""
    names = family(reading.model)
    if not names:
        view.missing()
        return
    if reading.model not in names:
        st.caption(claims.other_family(reading.model, names))
    shown = view.controls(reading, names)
    frame.claim(claims.CLAIMS, shown)
    view.layer(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-maps", lambda: _beneath(shown, reading), seen=False)


def _beneath(shown: Data, reading: Reading) -> None:
    view.head(shown)
    view.table(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    frame.measured(lambda: reading.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

"""The part One row: five ways to the softmax of one row of logits, side by side."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.ui import below, frame, reading

from ..state import Query
from . import claims, data, view


def show(at: Query, room: DeltaGenerator) -> None:
    """The row that the controls name, the algorithms on it, and how each ended."""
    shown = data.compute(view.controls(at, room))
    frame.claim(claims.CLAIMS, shown)
    view.picture(shown)
    view.presets(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-row", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    st.markdown(claims.results(shown, reading.maths()))
    frame.badges(shown.checks)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

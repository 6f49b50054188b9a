"""The part Translation: a hypothesis, its attention map, coverage and penalty."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import below, frame

from .. import view as shared
from ..data import Covered, Hypothesis
from . import claims, view


def show(model: str, text: str) -> None:
    """The chosen hypothesis: its map, coverage and penalty, and the steps; then why this map."""
    base, _more = shared.ruled(model, text)
    shown = base.covered(base.candidate)
    frame.claim(claims.CLAIMS, shown)
    shared.pictures(shown, claims.title(base), st.columns(2))
    frame.next_step(claims.HINTS, base)
    below.when_painted("beneath-written", lambda: _beneath(shown, base), seen=False)


def _beneath(shown: Covered, base: Hypothesis) -> None:
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    st.caption(claims.score_sum(base))
    view.map_errors(base)
    st.caption(claims.about_errors(base))
    frame.badges(base.checks)
    frame.equation(*shared.PENALTY)
    frame.equation(*shared.OVERLAP)
    frame.copy_as_python(view.snippet(base))

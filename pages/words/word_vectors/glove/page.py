"""The part GloVe: how often words meet, the ratios of two words against probes, and vectors that fit log counts."""

import streamlit as st

from tlmviz.ui import frame

from . import claims, data, view


def show() -> None:
    """Two words against probes, the counts, their weights and their fit."""
    with frame.picture_first():
        shown = data.compute(view.controls())
        if shown.refused:
            st.warning(claims.refused(shown))
        frame.claim(claims.CLAIMS, shown)
        view.ratios(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    view.maps(shown)
    view.fit(shown)
    frame.badges(shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

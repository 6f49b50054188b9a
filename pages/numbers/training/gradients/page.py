"""The part Gradients: gradients against a format's floor, and the scale that lifts them over it."""

import streamlit as st

from tlmviz.ui import below, frame
from tlmviz.ui.language import _

from . import claims, data, view


def show(model: str) -> None:
    """The controls, the gradients by size, and the step really run in FP16."""
    with frame.picture_first():
        chosen = view.controls(model)
        if chosen is None:
            return
        shown = data.compute(chosen)
        with st.spinner(_("Running a step …"), show_time=True):
            shown.counts  # noqa: B018 (computed here, so that the spinner stands where the picture will)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(), maths=claims.maths())
    below.when_painted("beneath-scaling", lambda: view.beneath(shown))
    frame.equation(*view.EQUATION)
    below.copy_as_python("gradients-python", view.snippet(shown))

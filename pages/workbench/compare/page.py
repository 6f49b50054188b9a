"""Compare: two prompts, two models or two precisions side by side, and what changed from one to the other."""

import streamlit as st

from pages import IN
from pages.workbench.compare import claims, data, view
from pages.workbench.compare.examples import examples
from pages.workbench.compare.state import Compare
from tlmviz.ui import below, frame, onward


@frame.fragment
def show(model: str) -> None:
    """The runs, the picture of their differences, and the words."""
    with frame.picture_first():
        chosen = view.controls(model)
        if chosen is None:
            return
        shown = data.compute(chosen)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    onward.links(view.onward(shown))
    view.costs(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(shown), maths=claims.MATHS)
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATION)
    below.after(not shown.same, "compare-python", lambda: frame.copy_as_python(view.snippet(shown)))


frame.heading(IN["workbench/compare"], examples, Compare)
show(st.session_state["model"])

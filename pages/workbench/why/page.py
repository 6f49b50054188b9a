"""Why it looks there: one score as a sum over sources, what the head then writes, and the way back through earlier
heads."""

import streamlit as st

from pages import IN
from pages.workbench.why import claims, data, guess, view
from pages.workbench.why.examples import examples
from pages.workbench.why.state import Why
from tlmviz.ui import below, frame, onward


@frame.fragment
def show(model: str) -> None:
    """The controls, one score or all pairs of heads, and the words."""
    with frame.picture_first():
        chosen = view.controls(model)
        if chosen is None:
            return
        shown = data.compute(chosen)
        if not guess.seen(shown):
            return
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS[chosen.view], shown)
    onward.links(view.onward(shown))
    frame.claims(claims.CLAIMS, shown, more=claims.notice(chosen.view), maths=claims.maths(chosen.view))
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATIONS[chosen.view])
    below.copy_as_python("why-python", view.snippet(shown))


frame.heading(IN["workbench/why"], examples, Why)
show(st.session_state["model"])

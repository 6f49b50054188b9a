"""Head atlas: what every head does over a whole corpus, the heads that a query names, and the passages each is
strongest in."""

import streamlit as st

from pages import IN
from pages.workbench.head_atlas import claims, data, view
from pages.workbench.head_atlas.examples import examples
from pages.workbench.head_atlas.state import Atlas
from tlmviz.ui import below, frame


@frame.fragment
def show(model: str) -> None:
    """The controls, all heads or one, and the words."""
    with frame.picture_first():
        chosen = view.controls(model)
        if chosen is None:
            return
        shown = data.compute(chosen)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS[chosen.view], shown)
    view.open_elsewhere(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice(shown), maths=claims.maths(chosen.view))
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATIONS[chosen.view])
    below.copy_as_python("atlas-python", view.snippet(shown))


frame.heading(IN["workbench/head_atlas"], examples, Atlas)
show(st.session_state["model"])

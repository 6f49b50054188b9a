"""Experts: which feed-forward networks each token reaches, by whose scores, and what becomes of it without them."""

import streamlit as st

from pages import IN
from pages.experts.experts import claims, data, view
from pages.experts.experts.examples import examples
from pages.experts.experts.state import Experts
from tlmviz.ui import below, frame
from tlmviz.ui.language import _


@frame.fragment
def show(model: str) -> None:
    """The text, and the chosen view of what the routers do with it."""
    with frame.picture_first():
        if (chosen := view.controls(model)) is None:
            return
        shown = data.compute(chosen)
        if shown.refused:
            st.warning(_("{why} The picture shows the routing as trained.", why=frame.worded(shown.refused)))
        frame.claim(claims.CLAIMS[chosen.view], shown)
        view.picture(shown)
    frame.next_step(claims.HINTS[chosen.view], shown)
    below.after(chosen.view in view.WITH_ROWS, f"beneath-{chosen.view}", lambda: view.below_it(shown))


frame.heading(IN["experts/experts"], examples, Experts)
show(st.session_state["emodel"])

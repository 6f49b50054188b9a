"""Patch: a part of one run put into another, for every part of the network, and how much of the answer comes back."""

import streamlit as st

from pages import IN
from pages.workbench.patch import claims, data, view
from pages.workbench.patch.examples import examples
from pages.workbench.patch.state import Patch
from tlmviz.ui import below, frame, onward


@frame.fragment
def show(model: str) -> None:
    """The texts, the grid, and what is asked of a cell."""
    with frame.picture_first():
        shown = data.compute(view.controls(model))
        frame.claim(claims.CLAIMS, shown)
        left, right = st.columns([0.58, 0.42], gap="medium")
        with left:
            view.grid(shown)
        with right, st.container(key="patch-runs"):
            view.predictions(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-patch", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    onward.links(view.onward(shown))
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    view.agreement(shown)
    view.identities(shown)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))


frame.heading(IN["workbench/patch"], examples, Patch)
show(st.session_state["model"])

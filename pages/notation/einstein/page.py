"""Einstein notation: a block's lines as formulas that run, and formulas of one's own, checked index by index."""

import streamlit as st

from pages.notation.einstein import controls, examples, view, words
from tlmviz.ui import frame


@frame.fragment
def show(model: str) -> None:
    """The formula, what it makes, and all that is below."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        found = view.show(choice)
    view.beneath(choice, found)


frame.heading("Einstein notation", words.CLAIM, examples.examples)
show(st.session_state["model"])

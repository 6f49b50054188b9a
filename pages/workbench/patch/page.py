"""Patch: a part of one run put into another, for every part of the network, and how much of the answer comes back."""

import streamlit as st

from pages.workbench.patch import compute, controls, examples, view, words
from tlmviz.ui import frame, link


@frame.fragment
def show(model: str) -> None:
    """The texts, the grid, and what is asked of a cell."""
    with frame.picture_first():
        choice = controls.choose(model)
        compute.task(choice)  # says what is wrong with the texts before anything is drawn
        controls.fields(choice)
        view.picture(choice)
    view.predictions(choice)
    view.chain(choice)
    view.agreement(choice)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    view.identities(choice)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, view.chain_of(choice) or (view.chosen_cell(choice),)))
    link.share()


frame.heading("Patch", words.CLAIM, examples.examples)
show(st.session_state["model"])

"""Collapse lemma: when several heads are one, and what between two matrices ends that."""

import streamlit as st

from pages.notation.collapse_lemma import compute, controls, examples, view, words
from tlmviz.ui import below, frame, link


@frame.fragment
def show(model: str) -> None:
    """The maps of all heads with one matrix between them, the switches, and the words."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        view.maps(choice)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    below.when_painted("beneath-collapse", lambda: view.turning(choice))
    frame.measured(lambda: compute.checks(choice))
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    below.copy_as_python("collapse-python", words.snippet(choice))
    link.share()


frame.heading("Collapse lemma", words.CLAIM, examples.examples)
show(st.session_state["model"])

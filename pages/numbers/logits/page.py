"""Logits: why scores are divided by the root of d and output logits by the root of E, measured on real heads."""

import streamlit as st

from pages.numbers.logits import compute, controls, examples, guess, view, words
from tlmviz.ui import frame, link

DRAW = {controls.SCORES: view.scores, controls.HEAD: view.head, controls.DIRECTIONS: view.directions}


@frame.fragment
def show(model: str) -> None:
    """The controls and the chosen question."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        if not guess.seen(choice):
            return
        DRAW[choice.view](choice)
    frame.what_to_notice(*words.NOTICE[choice.view], maths=words.NOTICE_MATHS[choice.view])
    frame.measured(lambda: compute.measured(choice.model, choice.text))
    frame.equation(*words.EQUATIONS[choice.view])
    frame.copy_as_python(words.snippet(choice))
    link.share()


frame.heading("Logits", words.CLAIM, examples.examples)
show(st.session_state["model"])

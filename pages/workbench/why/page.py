"""Why it looks there: one score as a sum over sources, what the head then writes, and the way back through earlier heads."""

import streamlit as st

from pages.workbench.why import compute, controls, examples, guess, view, words
from tlmviz.ui import below, frame, link


@frame.fragment
def show(model: str) -> None:
    """The controls, one score or all pairs of heads, and the words."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        if not guess.seen(choice):
            return
        view.DRAW[choice.view](choice)
    frame.what_to_notice(*words.NOTICE[choice.view], maths=words.NOTICE_MATHS[choice.view])
    frame.measured(lambda: compute.measured(choice.model, choice.text, choice.step))
    frame.equation(*words.EQUATIONS[choice.view])
    below.copy_as_python("why-python", words.snippet(choice))
    link.share()


frame.heading("Why it looks there", words.CLAIM, examples.examples)
show(st.session_state["model"])

"""Loss scaling: gradients against FP16's floor, the scale that lifts them over it, and weights that small updates reach."""

import streamlit as st

from pages.numbers.loss_scaling import controls, examples, view, words
from tlmviz.ui import frame, link

DRAW = {controls.GRADIENTS: view.gradients, controls.DYNAMIC: view.dynamic, controls.MASTER: view.master}
BENEATH = {controls.GRADIENTS: view.beneath_gradients, controls.MASTER: view.beneath_master}


@frame.fragment
def show(model: str) -> None:
    """The controls and the chosen question."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        DRAW[choice.view](choice)
    frame.what_to_notice(*words.NOTICE[choice.view], maths=words.NOTICE_MATHS[choice.view])
    if choice.view in BENEATH:
        BENEATH[choice.view](choice)
    frame.equation(*words.EQUATIONS[choice.view])
    frame.copy_as_python(words.snippet(choice))
    link.share()


frame.heading("Loss scaling", words.CLAIM, examples.examples)
show(st.session_state["model"])

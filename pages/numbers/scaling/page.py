"""Scaling: what a format of few bits leaves of a model's products when a scale serves a tensor, a channel or a block."""

import streamlit as st

from pages.numbers.scaling import compute, controls, examples, view, words
from tlmviz.ui import below, frame, link

DRAW = {controls.PRODUCT: view.product, controls.MODEL: view.model}
BENEATH = {controls.PRODUCT: view.beneath_product, controls.MODEL: view.beneath_model}


@frame.fragment
def show(model: str) -> None:
    """The controls, one product or a whole pass, and what is beneath either."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        DRAW[choice.view](choice)
    frame.what_to_notice(*words.NOTICE[choice.view], maths=words.NOTICE_MATHS[choice.view])
    if choice.view == controls.PRODUCT:
        below.when_painted("beneath-scaling", lambda: beneath(choice))
    else:
        beneath(choice)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))
    link.share()


def beneath(choice: controls.Choice) -> None:
    """Tables and badges: they wait for the picture."""
    BENEATH[choice.view](choice)
    frame.measured(lambda: compute.measured(choice.model, choice.text))


frame.heading("Scaling", words.CLAIM, examples.examples)
show(st.session_state["model"])

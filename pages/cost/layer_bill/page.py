"""One layer's bill: what a Transformer layer costs in operations, bytes and milliseconds, and where a model's parameters are."""

import streamlit as st

from pages.cost.layer_bill import controls, examples, view, words
from tlmviz.ui import frame, link


@frame.fragment
def show(model: str) -> None:
    """The controls and the chosen view."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        view.PICTURES[choice.view](choice)
    view.beneath(choice)
    frame.what_to_notice(*words.NOTICE[choice.view], maths=words.NOTICE_MATHS[choice.view])
    frame.measured(lambda: view.measured(choice))
    frame.equation(*words.EQUATIONS[choice.view])
    frame.copy_as_python(words.snippet(choice))
    link.share()


frame.heading("One layer's bill", words.CLAIM, examples.examples)
show(st.session_state["model"])

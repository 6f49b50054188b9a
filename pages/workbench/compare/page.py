"""Compare: two prompts, two models or two precisions side by side, and what changed from one to the other."""

import streamlit as st

from pages.workbench.compare import compute, controls, examples, view, words
from tlmviz.ui import below, frame, link


@frame.fragment
def show(model: str) -> None:
    """The runs, the picture of their differences, and the words."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        view.picture(choice)
    view.costs(choice)
    frame.what_to_notice(*words.NOTICE[choice.view], maths=words.NOTICE_MATHS)
    frame.measured(lambda: compute.measured(choice))
    frame.equation(*words.EQUATION)
    below.copy_as_python("compare-python", words.snippet(choice))
    link.share()


frame.heading("Compare", words.CLAIM, examples.examples)
show(st.session_state["model"])

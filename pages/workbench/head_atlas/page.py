"""Head atlas: what every head does over a whole corpus, the heads that a query names, and the passages each is strongest in."""

import streamlit as st

from pages.workbench.head_atlas import compute, controls, examples, view, words
from tlmviz.ui import below, frame, link


@frame.fragment
def show(model: str) -> None:
    """The controls, all heads or one, and the words."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        view.DRAW[choice.view](choice)
    frame.what_to_notice(*words.NOTICE[choice.view], maths=words.NOTICE_MATHS[choice.view])
    frame.measured(lambda: compute.measured(choice))
    frame.equation(*words.EQUATIONS[choice.view])
    below.copy_as_python("atlas-python", words.snippet(choice))
    link.share()


frame.heading("Head atlas", words.CLAIM, examples.examples)
show(st.session_state["model"])

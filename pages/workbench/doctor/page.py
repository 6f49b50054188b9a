"""Doctor: two runs of one text, where they part, and the cause by name with its number."""

import streamlit as st

from pages.workbench.doctor import controls, examples, view, words
from tlmviz.ui import below, frame, link


@frame.fragment
def show(model: str) -> None:
    """The runs, the diagnosis, what it is seen by, and the words."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        view.picture(choice)
    frame.what_to_notice(*words.NOTICE[choice.view], maths=words.NOTICE_MATHS)
    frame.equation(*words.EQUATION)
    below.copy_as_python("doctor-python", words.snippet(choice))
    link.share()


frame.heading("Doctor", words.CLAIM, examples.examples)
show(st.session_state["model"])

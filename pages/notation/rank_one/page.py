"""Rank-1 pictures: a matrix as a sum of outer products, by columns, by rows, of a product and of the SVD."""

import streamlit as st

from pages.notation.rank_one import controls, examples, view, words
from tlmviz.ui import below, frame, link


@frame.fragment
def show(model: str) -> None:
    """The matrix, its terms added one by one, and the words."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        view.terms(choice)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    below.when_painted("beneath-rank", lambda: view.needed(choice))
    frame.measured(lambda: view.measured(choice))
    frame.equation(*words.EQUATION)
    below.copy_as_python("rank-python", words.snippet(choice))
    link.share()


frame.heading("Rank-1 pictures", words.CLAIM, examples.examples)
show(st.session_state["model"])

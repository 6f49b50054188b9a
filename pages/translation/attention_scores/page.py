"""Attention scores: dot, general and additive on one sentence, the context as a mixture, and SDPA as the general case."""

import streamlit as st

from pages.translation.attention_scores import compute, controls, examples, view, words
from tlmviz.ui import frame


@frame.fragment
def show(models: list[str], sidebar_model: str) -> None:
    """The sentence, every model's map, one step in detail, the table, and the same by SDPA."""
    with frame.picture_first():
        choice = controls.choose(models, sidebar_model)
        if choice is None:
            return
        view.maps(choice)
    view.step(choice)
    frame.what_to_notice(*words.NOTICE)
    view.entropies(choice)
    with st.spinner("Measuring …"):
        view.table(choice)
    view.special_case(choice)
    frame.badges(compute.checks(choice.product_pair or choice.pair))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))


frame.heading("Attention scores", words.CLAIM, examples.examples)
recurrent = compute.recurrent()
if recurrent:
    show(recurrent, st.session_state["mt"])
else:
    st.info(words.NO_MODELS)

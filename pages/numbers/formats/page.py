"""Formats: the bits of FP32 down to INT4, and what each makes of a number."""

import streamlit as st

from pages.numbers.formats import controls, examples, guess, view, words
from tlmviz.ui import below, compute, frame, inputs, link


@frame.fragment
def show(model: str) -> None:
    """The picture, the model's numbers in the chosen format, the table of all formats, and the words."""
    choice = controls.choose()
    if not guess.seen(choice):
        return
    view.bits(choice)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    st.markdown(f"#### {words.MODELS}")
    text = inputs.text_box(compute.model(model))
    if text is not None:
        below.when_painted("beneath-formats", lambda: view.of_the_model(choice, model, text))
    st.markdown(f"#### {words.ALL}")
    view.table()
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, model, text))
    link.share()


frame.heading("Formats", words.CLAIM, examples.examples)
show(st.session_state["model"])

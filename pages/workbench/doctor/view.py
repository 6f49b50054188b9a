"""Draws the page Doctor: the diagnosis in a sentence, the errors of every step, and what the cause is seen by."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.workbench import doctor as figures
from tlmviz.ui import frame

from . import compute, words
from .controls import Choice


def picture(choice: Choice) -> None:
    """The diagnosis, and below it the evidence side by side."""
    with st.spinner(words.EXAMINING, show_time=True):
        found = compute.found(choice)
    for sentence in words.cautions(choice, found):
        st.warning(sentence)
    st.markdown(words.diagnosis(choice, found))
    if found.proof is None:
        return
    steps, seen = st.columns([0.56, 0.44])
    with steps:
        chart = figures.steps_map(found.names, found.errors, found.first, frame.theme(), title=words.STEPS)
        frame.chart(chart, key="drsteps", alt=words.steps_alt(found))
    with seen:
        said = found.said
        title = words.proof_title(found)
        chart = figures.proof(found.proof, said.cause, said.value, frame.theme(), title=title)
        frame.chart(chart, key="drproof", alt=title)
    if found.said.sure and not found.said.healthy:  # else the sentence above has it all
        frame.caption(words.caption(found))

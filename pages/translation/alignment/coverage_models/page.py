"""The view "With and without coverage": a model with a coverage vector beside one without."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import frame

from . import compute, controls, view, words


def show(model: str, text: str | None) -> None:
    """One sentence through both models, then sentences that invite repetition. The model of the sidebar is not used."""
    with_coverage, without = compute.coverage_models()
    choice = None
    if with_coverage and without:
        choice = controls.choose(with_coverage, without, text)
        view.maps(choice)
        view.repetitions(choice)
    else:
        st.info(words.missing("without" if with_coverage else "with"))
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    if choice:
        frame.copy_as_python(words.snippet(choice))

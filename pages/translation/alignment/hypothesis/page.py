"""The view "Translation": a hypothesis, its attention map, coverage and penalty."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import frame

from .. import view as shared
from . import compute, controls, view, words


def show(model: str, text: str | None) -> None:
    """The chosen hypothesis: its map, coverage and penalty, and the steps; then why this map."""
    if text is None:
        return
    choice = controls.choose(model, text)
    candidate = choice.candidate
    shared.pictures(
        candidate.map(choice.align),
        choice.penalties,
        choice.source,
        choice.names(candidate.tokens),
        f"Attention (probability): {controls.map_name(choice.mt, choice.align)}",
        st.columns(2),
    )
    view.score_line(choice, candidate)
    view.map_errors(choice)
    frame.badges(compute.checks(model, text))
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(words.snippet(choice))

"""The view "Matrix by hand": the two extreme matrices of the notes, and any other."""

from __future__ import annotations

import streamlit as st

from tlmviz.errors import BadShape
from tlmviz.ui import frame

from .. import view
from . import controls, words


def show(model: str, text: str | None) -> None:
    """Map, coverage and steps of a matrix from a preset, a table or a text."""
    buttons = st.container()
    table, *places = st.columns([0.24, 0.38, 0.38], gap="small")
    try:
        choice = controls.choose(model, text, buttons, table)
    except BadShape as error:  # the matrix is still being written
        st.warning(str(error))
        return
    steps, size = choice.attention.shape
    source, target = [f"x{j + 1}" for j in range(size)], [f"y{i + 1}" for i in range(steps)]
    view.pictures(choice.attention, choice.penalties, source, target, "Attention by hand", places)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(words.snippet(choice))

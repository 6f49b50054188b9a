"""Draws the part One row: five algorithms on one query's logits, walked side by side."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.kernels import online_softmax
from tlmviz.figures.kernels import flash_rows
from tlmviz.ui import frame, reading

from ..controls import Choice
from . import compute, controls, words


def show(choice: Choice) -> None:
    """The row that the controls name, the algorithms on it, and how each ended."""
    row = controls.choose(choice).row
    walks = online_softmax.walk_all(row.x, row.v)
    maths = reading.maths()
    figure = flash_rows.row_walks(
        walks, row.x, row.tokens, frame.theme(), title=words.title(choice, row), symbols=maths
    )
    with frame.wide("wide", 880):
        frame.chart(
            figure,
            key="row",
            alt=words.ROW_ALT,
        )
    st.markdown(words.results(walks, maths))
    frame.badges(compute.checks(walks))
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, row))

"""Draws the part "Two MLAs": what goes in and what latents are made of it, twice, and a table of how they differ."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.beyond.latents import before_and_after
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, inputs

from . import compute, words


def show() -> None:
    """Both pictures, then the table."""
    text = inputs.text_box(shared.model(compute.DEEPSEEK))
    if text is None:
        return
    both, theme = compute.both(text), frame.theme()
    left, right = st.columns(2)
    with left:
        frame.chart(
            before_and_after(
                both.pixels, both.array, words.ARRAY_NAMES, theme, title=words.array_title(both)
            ),
            key="latarray",
            alt=words.LATARRAY_ALT,
        )
    with right:
        frame.chart(
            before_and_after(both.hidden, both.kept, words.KEPT_NAMES, theme, title=words.kept_title(both)),
            key="latkept",
            alt=words.LATKEPT_ALT,
        )
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    st.markdown(words.table(both))
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(words.snippet(text))

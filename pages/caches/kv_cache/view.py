"""Draws the view Steps of the page KV cache, and what every view ends with."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.caches import kv_cache
from tlmviz.ui import frame

from . import compute, words
from .controls import Choice


def steps(choice: Choice) -> None:
    """The map, the cached rows and the bytes, walked in the browser."""
    decoding = compute.decoding(choice)
    figure = kv_cache.steps(
        decoding,
        compute.flops(choice, decoding),
        frame.theme(),
        title=words.title(choice, len(decoding.ids), kv_cache.LONGEST),
    )
    alt = words.STEPS_ALT
    with frame.wide("wide"):
        frame.chart(figure, key="decode", alt=alt)
    st.caption(words.generated(choice, decoding))
    frame.measured(lambda: compute.checks(choice))
    footer(choice.view, words.steps_snippet(choice))


def footer(view: str, snippet: str) -> None:
    """What to notice, the formula with its source, and code that does the same."""
    frame.what_to_notice(*words.NOTICE[view])
    frame.equation(*words.EQUATIONS[view])
    frame.copy_as_python(snippet)

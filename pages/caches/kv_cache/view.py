"""Draws the view Steps of the page KV cache, and what every view ends with."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.caches.cost import Shape
from tlmviz.analysis.caches.decode_steps import Decoding
from tlmviz.figures.caches import kv_cache
from tlmviz.ui import frame

from . import compute, words
from .controls import Choice


def steps(choice: Choice) -> None:
    """The map, the cached rows and the bytes, walked in the browser."""
    decoding = compute.decoding(choice)
    figure = kv_cache.steps(
        decoding, compute.flops(choice, decoding), frame.theme(), title=_title(choice, decoding)
    )
    alt = "The attention map filled row by row, the kept keys and values, and each layer's memory, walked by a slider"
    with frame.wide("wide"):
        frame.chart(figure, key="decode", alt=alt)
    st.caption(words.generated(choice, decoding))
    frame.measured(lambda: compute.checks(choice))
    footer(choice.view, words.steps_snippet(choice))


def _title(choice: Choice, decoding: Decoding) -> str:
    length, kind = len(decoding.ids), Shape.of(choice.lm.config).kind
    part = "" if length <= kv_cache.LONGEST else f"; the last {kv_cache.LONGEST} of {length:,} positions"
    return f"{choice.model} ({kind}), layer {choice.layer}, head {choice.head}{part}"


def footer(view: str, snippet: str) -> None:
    """What to notice, the formula with its source, and code that does the same."""
    frame.what_to_notice(*words.NOTICE[view])
    frame.equation(*words.EQUATIONS[view])
    frame.copy_as_python(snippet)

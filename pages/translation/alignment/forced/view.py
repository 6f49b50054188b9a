"""Draws the view "Force attention": both maps, and the next token with and without the pins."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from tlmviz.decoding.records import Candidate
from tlmviz.figures import predictions
from tlmviz.figures.written import number
from tlmviz.ui import frame

from ..view import LOW, coverage_map
from . import compute, controls, words
from .controls import Choice

NEXT = 8  # tokens whose probabilities are drawn


def before_and_after(choice: Choice) -> None:
    """The chosen hypothesis, and what is written when the pins decide where to look."""
    with st.spinner("Decoding on …", show_time=True):
        after = compute.forced(choice)
    left, right = st.columns(2)
    with left:
        before = choice.hypothesis.candidate
        frame.chart(
            _map(choice, before, "As it was", clickable=True),
            key=controls.MAP,
            alt=words.BEFORE_AND_AFTER_ALT,
            select="points",
            on_select=partial(controls.pin_clicked, *before.map(choice.hypothesis.align).shape),
        )
    with right:
        frame.chart(_map(choice, after, "Forced"), key="forcedmap", alt=words.FORCEDMAP_ALT)


def _map(choice: Choice, candidate: Candidate, title: str, clickable: bool = False):
    """A text's figure below its words; pins beyond its end are left out."""
    base = choice.hypothesis
    text = base.mt.text(candidate.tokens) or "(nothing)"
    st.markdown(f"**{title}**: {text} :small[:gray[log P {number(sum(candidate.logps), '.3f')}]]")
    attention = candidate.map(base.align)
    return coverage_map(
        attention,
        base.penalties,
        base.source,
        base.names(candidate.tokens),
        title=f"{title} (pins framed)",
        pins=tuple((t, j) for t, j in choice.pins if t < len(attention)),
        clickable=clickable,
        height=LOW,
    )


def next_tokens(choice: Choice) -> None:
    """Probabilities of the token at the first pin, looking freely and looking where it must."""
    free, bound = compute.next_tokens(choice)
    best = np.argsort(-np.maximum(free, bound))[:NEXT]
    names = choice.hypothesis.names(best.tolist())
    figure = predictions.before_after(names, free[best], bound[best], frame.theme())
    figure.layout.title.text = f"Probability of token {choice.first + 1}"
    for bars, label in zip(figure.data, ("looking freely", "forced")):
        bars.name, bars.hovertemplate = label, "%{y:.5f}<extra>" + label + "</extra>"
    frame.chart(figure, key="pinnednext", alt=words.PINNEDNEXT_ALT)

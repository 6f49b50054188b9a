"""Draws the view "Translation": how the score adds up, and how well each map aligns."""

from __future__ import annotations

import streamlit as st

from tlmviz.decoding.penalties import length_penalty
from tlmviz.decoding.records import Candidate
from tlmviz.figures.translation import alignment
from tlmviz.figures.written import number
from tlmviz.ui import frame, translation

from .controls import Choice, map_name


def score_line(choice: Choice, candidate: Candidate) -> None:
    """How the hypothesis's score adds up."""
    parts, rules, count = candidate.parts, choice.penalties, len(candidate.tokens)
    lp = length_penalty(count, rules.alpha, rules.length)
    st.caption(
        f"**{choice.mt.text(candidate.tokens) or '(nothing)'}**  log P {number(parts.logp, '.3f')} ÷ lp {lp:.3f} "
        f"({count} tokens, α {rules.alpha:g}) + cp {number(parts.coverage, '.3f')} "
        f"(β {rules.beta:g}, floor {rules.floor:g}) = **{number(parts.total, '.3f')} nats**"
        + ("" if candidate.finished else " · unfinished: " + choice.search.stopped)
    )


def map_errors(choice: Choice) -> None:
    """The alignment error of every map: the lowest is the default."""
    measured, mt = translation.alignment_errors(choice.model), choice.mt
    if measured is None:
        st.caption(
            "The alignments made by hand are not here (tlmviz/data/alignments.tsv); the repository has them."
        )
        return
    labels, rates, sentences = measured
    if len(labels) == 1:
        st.caption(
            f"Alignment error rate of its one map: **{rates[0]:.3f}** on {sentences} sentences aligned by hand."
        )
        return
    default = "mean" if mt.align is None else mt.maps[mt.align]
    own = rates[labels.index(default)]
    beside = (
        f"is the lowest of all {len(labels)}" if own == rates[0] else f"is near the lowest, {rates[0]:.3f}"
    )
    figure = alignment.head_errors(labels, rates, default, frame.theme())
    frame.chart(figure, key="headerrors", alt="Alignment error rate of every map")
    st.caption(
        f"Why *{map_name(mt, mt.align)}* is the default: on {sentences} sentences aligned by hand its error, {own:.3f}, "
        f"{beside}. A target word is linked to the source word it looks at most; words that tie share the link; "
        "the rate is 1 − 2 |A ∩ G| / (|A| + |G|) over proposed links A and those by hand G (Och and Ney 2003)."
    )

"""Draws the view "Translation": how the score adds up, and how well each map aligns."""

from __future__ import annotations

import streamlit as st

from tlmviz.decoding.penalties import length_penalty
from tlmviz.decoding.records import Candidate
from tlmviz.figures.translation import alignment
from tlmviz.ui import frame, translation

from . import words
from .controls import Choice, map_name


def score_line(choice: Choice, candidate: Candidate) -> None:
    """How the hypothesis's score adds up."""
    parts, rules, count = candidate.parts, choice.penalties, len(candidate.tokens)
    lp = length_penalty(count, rules.alpha, rules.length)
    st.caption(
        words.score_sum(
            choice.mt.text(candidate.tokens),
            count,
            parts,
            rules,
            lp,
            "" if candidate.finished else choice.search.stopped,
        )
    )


def map_errors(choice: Choice) -> None:
    """The alignment error of every map: the lowest is the default."""
    measured, mt = translation.alignment_errors(choice.model), choice.mt
    if measured is None:
        st.caption(words.NO_ALIGNMENTS)
        return
    labels, rates, sentences = measured
    if len(labels) == 1:
        st.caption(words.one_map_caption(rates[0], sentences))
        return
    default = "mean" if mt.align is None else mt.maps[mt.align]
    own = rates[labels.index(default)]
    figure = alignment.head_errors(labels, rates, default, frame.theme())
    frame.chart(figure, key="headerrors", alt=words.HEADERRORS_ALT)
    st.caption(words.default_caption(map_name(mt, mt.align), sentences, own, rates[0], len(labels)))

"""Everything the page Collapse lemma computes, cached."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from tlmviz.analysis.caches.turning import Turning, turned
from tlmviz.analysis.notation.collapse import EVERY, Collapsed, collapse
from tlmviz.checks import Check, measure, notation_collapse
from tlmviz.ui.compute import run_in_worker

if TYPE_CHECKING:
    from .controls import Choice

TOKENS = 40  # of the text, at most
CELLS = 450_000  # of all maps that are sent, two bytes each


def tokens(choice: Choice) -> int:
    """How many tokens of the text are shown: fewer where there are many heads."""
    fit = math.isqrt(CELLS // (len(EVERY) * choice.lm.config.n_heads))
    return max(1, min(TOKENS, fit, len(choice.trace)))


@st.cache_resource(max_entries=16, show_spinner=False)
def collapsed(choice: Choice) -> Collapsed:
    """Both parts of the lemma on one layer."""
    lm, trace, stop = choice.lm, choice.trace, tokens(choice)
    return run_in_worker(lambda: collapse(lm, trace, choice.layer, stop), len(trace))


@st.cache_resource(max_entries=16, show_spinner=False)
def turning(choice: Choice) -> Turning:
    """One head's product of W_Q and W_K' under RoPE, by distance."""
    lm, trace = choice.lm, choice.trace
    return run_in_worker(lambda: turned(lm, trace, choice.layer, choice.head), len(trace))


@st.cache_resource(max_entries=16, show_spinner=False)
def checks(choice: Choice) -> list[Check]:
    """The identities behind this page, measured on this text."""
    lm, trace = choice.lm, choice.trace
    return run_in_worker(lambda: measure(notation_collapse, lm, trace), len(trace))

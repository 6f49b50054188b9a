"""What the view "Force attention" computes: the text decoded on with the pins, and the next token's probabilities."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.translation import coverage
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.records import Candidate
from tlmviz.ui import compute, translation

from .controls import Choice


def forced(choice: Choice) -> Candidate:
    """The best text that begins as the hypothesis up to the first pin, and is decoded on from there with the pins."""
    base = choice.hypothesis
    options = BeamOptions(width=base.width, prefix=base.candidate.tokens[: choice.first])
    search = translation.search(base.model, base.text, options, choice.pins)
    return search.hypotheses(base.penalties, base.align)[0]


def next_tokens(choice: Choice) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of the token at the first pin [V], without pins and with them."""
    base = choice.hypothesis
    written = base.candidate.tokens[: choice.first]
    return tuple(_next_tokens(base.model, base.text, written, pins) for pins in ((), choice.pins))


@st.cache_data(max_entries=64, show_spinner=False)
def _next_tokens(
    model: str, text: str, written: tuple[int, ...], pins: tuple[tuple[int, int], ...]
) -> np.ndarray:
    mt = translation.model(model)
    return compute.run_in_worker(
        lambda: coverage.next_tokens(mt, text, written, dict(pins)).numpy(), compute.about(text)
    )

"""The pin that is shown before anyone sets one: measured, so that it does what the page says a pin does."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.translation import coverage
from tlmviz.ui import compute, translation

from ..hypothesis.controls import Choice
from .pins import last_word, neighbours


def pin(base: Choice) -> dict[int, int]:
    """The step that, on the word its next step looks at, most surely writes what that one writes, as {step: source token}."""
    source, tokens = base.source, base.candidate.tokens
    target = base.names(tokens)
    pins = neighbours(base.candidate.map(base.align), source, target)
    if not pins:
        return last_word(source, len(target))
    sure = _sure(base.model, base.text, tokens, tuple(pins.items()))
    step = max(pins, key=lambda at: sure[at])
    return {step: pins[step]}


@st.cache_data(max_entries=64, show_spinner=False)
def _sure(
    model: str, text: str, tokens: tuple[int, ...], pins: tuple[tuple[int, int], ...]
) -> dict[int, float]:
    """By step, how probable its next step's token is where the step looks at the source token of its pin."""
    mt = translation.model(model)

    def work() -> dict[int, float]:
        return {
            step: float(coverage.next_tokens(mt, text, tokens[:step], {step: token})[tokens[step + 1]])
            for step, token in pins
        }

    return compute.run_in_worker(work, compute.about(text))

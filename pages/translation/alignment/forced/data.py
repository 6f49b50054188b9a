"""Everything that the part Force attention shows: the text decoded on with its pins, and the next token's
probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis.translation import coverage
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.records import Candidate
from tlmviz.errors import BadText
from tlmviz.ui import compute as shared
from tlmviz.ui import translation

from ..data import Hypothesis
from ..state import Alignment
from .pins import last_word, neighbours, read_pins
from .state import Forced


@dataclass(frozen=True)
class Data:
    """A hypothesis and the pins on it, (step, source token) from 0, by step; `suggested`: the page set them."""

    base: Hypothesis
    pins: tuple[tuple[int, int], ...]
    suggested: bool
    refused: BadText | None = None  # why what is typed is no pin

    @property
    def first(self) -> tuple[int, int]:
        """The first pin: what was written before its step stays."""
        return self.pins[0]

    @cached_property
    def after(self) -> Candidate:
        """The best text that begins as the hypothesis up to the first pin, and is decoded on from there with the
        pins."""
        base, chosen = self.base, self.base.chosen
        options = BeamOptions(width=chosen.width, prefix=base.candidate.tokens[: self.first[0]])
        search = translation.search(chosen.model, chosen.text, options, self.pins)
        return search.hypotheses(base.penalties, base.align)[0]

    @cached_property
    def next_tokens(self) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities of the token at the first pin [V], without pins and with them."""
        chosen, written = self.base.chosen, self.base.candidate.tokens[: self.first[0]]
        return tuple(_next_tokens(chosen.model, chosen.text, written, pins) for pins in ((), self.pins))

    def pinned(self, candidate: Candidate) -> tuple[tuple[int, int], ...]:
        """The pins that a text has; those beyond its end are left out."""
        return tuple(pin for pin in self.pins if pin[0] < len(candidate.tokens))


def compute(chosen: Alignment) -> Data:
    """The data of a hypothesis with the session's pins; without any that can be read it has one of its own."""
    base, own, refused = Hypothesis(chosen), {}, None
    try:
        own = read_pins(Forced.of_session().pins, len(base.target), len(base.source))
    except BadText as error:
        refused = error
    return Data(base, tuple(sorted((own or suggestion(base)).items())), not own, refused)


def suggestion(base: Hypothesis) -> dict[int, int]:
    """The step that, on the word its next step looks at, most surely writes what that one writes, as {step: source
    token}."""
    tokens, target = base.candidate.tokens, base.target
    pins = neighbours(base.candidate.map(base.align), base.source, target)
    if not pins:
        return last_word(base.source, len(target))
    sure = _sure(base.chosen.model, base.chosen.text, tokens, tuple(pins.items()))
    step = max(pins, key=lambda at: sure[at])
    return {step: pins[step]}


@st.cache_data(max_entries=64, show_spinner=False)
def _next_tokens(model: str, text: str, written: tuple[int, ...], pins: tuple[tuple[int, int], ...]) -> np.ndarray:
    mt = translation.model(model)
    return shared.run_in_worker(lambda: coverage.next_tokens(mt, text, written, dict(pins)).numpy(), shared.about(text))


@st.cache_data(max_entries=64, show_spinner=False)
def _sure(model: str, text: str, tokens: tuple[int, ...], pins: tuple[tuple[int, int], ...]) -> dict[int, float]:
    """By step, how probable its next step's token is where the step looks at the source token of its pin."""
    mt = translation.model(model)

    def work() -> dict[int, float]:
        return {
            step: float(coverage.next_tokens(mt, text, tokens[:step], {step: token})[tokens[step + 1]])
            for step, token in pins
        }

    return shared.run_in_worker(work, shared.about(text))

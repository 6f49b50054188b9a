"""Everything that the part Ribbons shows: a translation, and what becomes of it where steps must look at one token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from hashlib import sha256

import numpy as np
import streamlit as st

from tlmviz.checks import Check
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.records import Candidate
from tlmviz.ui import translation

from ..data import Hypothesis, whole
from ..state import Alignment
from .state import ORIGIN, Pins, Ribbons

SHARP = 0.5  # weight of a token above which a look is said to go to it


@dataclass(frozen=True)
class Data:
    """A hypothesis, the pins on it, and the text that is written under them."""

    base: Hypothesis
    pins: Pins

    @property
    def origin(self) -> str:
        """A name of the text that the pins are set on."""
        chosen = self.base.chosen
        return sha256(repr((chosen.model, chosen.text, self.base.candidate.tokens)).encode()).hexdigest()[:16]

    @property
    def set_here(self) -> Pins:
        """The pins, if this session set them in this part on this very hypothesis."""
        was = st.session_state.get(ORIGIN)
        return self.pins if was and was[0] == self.origin else ()

    @property
    def checks(self) -> list[Check]:
        """The identities of the page."""
        return self.base.checks

    @cached_property
    def after(self) -> Candidate:
        """From each pin on, what was written before it stays and the beam decodes on."""
        text = self.base.candidate
        for count, (step, _token) in enumerate(self.pins, start=1):
            if step >= len(text.tokens):
                break
            options = BeamOptions(width=self.base.chosen.width, prefix=text.tokens[:step])
            chosen = self.base.chosen
            search = translation.search(chosen.model, chosen.text, options, self.pins[:count])
            text = search.hypotheses(self.base.penalties, self.base.counted)[0]
        return text

    @cached_property
    def weights(self) -> np.ndarray:
        """The map of the text [T, S]."""
        return self.after.map(self.base.align)

    @cached_property
    def source(self) -> list[str]:
        return self.base.source

    @cached_property
    def target(self) -> list[str]:
        return self.base.names(self.after.tokens)

    @property
    def changed(self) -> list[bool]:
        """Whether each written token is new."""
        return changed(self.base.candidate, self.after)

    @property
    def shown(self) -> list[tuple[int, int]]:
        """The pins that the text has."""
        return [pin for pin in self.pins if pin[0] < len(self.after.tokens)]

    @property
    def ordered(self) -> bool:
        """Whether each written token looks no further back than the one before; the last, which writes the end, is left
        out."""
        return bool((np.diff(self.weights[:-1].argmax(1)) >= 0).all())

    @property
    def crossing(self) -> tuple[int, int] | None:
        """The two neighbouring steps whose heaviest ribbons cross most clearly, of those from whole word to whole
        word."""
        looks = self.weights.argmax(1)
        words = [whole(self.target, step) and whole(self.source, at) for step, at in enumerate(looks)]
        return crossing_steps(self.weights, words)


def compute(chosen: Alignment) -> Data:
    """The data of a hypothesis and the session's pins on it. What was pinned on another text is forgotten."""
    found = Data(Hypothesis(chosen, by_map=False), Ribbons.pins.get())
    pins, was = found.pins, st.session_state.get(ORIGIN)
    if was and was[0] != found.origin and was[1] == pins:  # pins that came with a link belong to its text
        pins = ()
    steps, size = len(found.base.candidate.tokens), len(found.source)
    pins = tuple((step, token) for step, token in pins if token < size)
    if pins and pins[0][0] >= steps:
        pins = ()
    Ribbons.pins.set(pins)
    st.session_state[ORIGIN] = found.origin, pins
    return replace(found, pins=Ribbons.of_session().pins)


def changed(before: Candidate, after: Candidate) -> list[bool]:
    """Whether each token of `after` is none of those that it has in common with `before`, in order."""
    new = [True] * len(after.tokens)
    for block in SequenceMatcher(None, before.tokens, after.tokens, autojunk=False).get_matching_blocks():
        new[block.b : block.b + block.size] = [False] * block.size
    return new


def crossing_steps(attention: np.ndarray, words: Sequence[bool]) -> tuple[int, int] | None:
    """The two neighbouring steps whose heaviest ribbons cross and are the surest together; None where none cross.

    Only steps that look sharply, and of which `words` says that they have whole words at both ends: pieces of words and
    wide looks tell nothing of the order of words. The last step, which writes the end, is left out.
    """
    looks, sure = attention.argmax(1), attention.max(1)
    clear = np.logical_and(words, sure >= SHARP)
    pairs = [(t, t + 1) for t in range(len(looks) - 2) if looks[t + 1] < looks[t] and clear[t] and clear[t + 1]]
    return max(pairs, key=lambda pair: min(sure[list(pair)]), default=None)

"""Everything that the part Train now shows: trainings that go on in slices of the model thread, shared by what they
read."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

from tlmviz.analysis.samples import long_sample_text
from tlmviz.analysis.words.text import split_words
from tlmviz.checks import Check, words
from tlmviz.errors import UnknownName
from tlmviz.training.live import Live, least_count
from tlmviz.training.words import WordText
from tlmviz.ui import compute as shared

from .state import Training

SECONDS = 20.0
NEAR = 6  # neighbours that are named
KEPT = 4  # trainings of a session
_TRAININGS, _LAST = ("_word_training", "_word_training_last")  # session: trainings by choice, and the one begun last
_DEFAULT = (Training.text.default, Training.window.default, Training.rate.default)


@dataclass(frozen=True)
class Data:
    """A training, and what it is looked at for."""

    chosen: Training
    live: Live

    @property
    def active(self) -> bool:
        """Whether somebody does its work now."""
        return self.live.begun and self.live.running

    @cached_property
    def word(self) -> str:
        """The word whose neighbours are named, as the training spells it; "" where it has no vector."""
        try:
            return self.live.text.vocabulary[self.live.vectors().index(self.chosen.near)]
        except UnknownName:
            return ""

    @cached_property
    def near(self) -> list[tuple[str, float]]:
        """The nearest words and their cosines."""
        return self.live.vectors().neighbours(self.word, NEAR) if self.word and not self.live.broken else []

    @property
    def checks(self) -> list[Check]:
        """The identity behind the training, on the vectors as they are."""
        wv, given = self.live.vectors(), list(self.live.text.vocabulary[:2])
        return shared.run_in_worker(lambda: [words.gradient_is_autograds(wv, given)], gradients=True)


def compute(chosen: Training, begin: bool = False) -> Data:
    """This session's training of a state, begun anew if that was asked for. Raises BadText.

    What this session trained before is stopped where another begins.
    """
    own, key = st.session_state.setdefault(_TRAININGS, {}), (chosen.text.strip(), chosen.window, chosen.rate)
    if begin:
        if last := st.session_state.get(_LAST):
            last.stop()
        own[key] = st.session_state[_LAST] = _fresh(*key)
        go_on(own[key])
    elif key not in own:
        if key == _DEFAULT:
            return Data(chosen, example())
        while len(own) >= KEPT:
            own.pop(next(iter(own))).stop()
        own[key] = _fresh(*key)
    return Data(chosen, own[key])


@st.cache_resource(show_spinner=False)
def example() -> Live:
    """The training that the part opens on, begun for the first visitor and shown to all."""
    live = _fresh(*_DEFAULT)
    go_on(live)
    return live


def _fresh(text: str, window: int, rate: float) -> Live:
    read = split_words(text or stories())
    return Live(WordText.of([read], least_count(len(read))), window, rate, SECONDS)


@st.cache_data(show_spinner=False)
def stories() -> str:
    """What is read where nothing is typed."""
    return long_sample_text()


def go_on(live: Live) -> None:
    """Hand the next slice to the model thread, and after it the one behind it: other pages' work gets in between."""

    def after(done: Future[Any]) -> None:
        if done.exception() is None and live.running:
            with suppress(RuntimeError):  # the server is going down
                go_on(live)

    if live.running:
        live.begun = True
        shared.submit(live.work).add_done_callback(after)

"""Everything the page "Train it now" computes: trainings that go on in slices of the model thread, shared by choice."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import suppress

import streamlit as st

from tlmviz.analysis.samples import long_sample_text
from tlmviz.checks import Check, words
from tlmviz.training.live import Live
from tlmviz.ui import compute as shared

from .controls import SECONDS, Choice

_TRAININGS, _LAST = "_train_now", "_train_now_last"  # session: trainings by choice, and the one begun last
KEPT = 4  # trainings of a session


@st.cache_resource(show_spinner=False)
def example() -> Live:
    """The training that the page opens on, begun for the first visitor and shown to all."""
    live = _fresh(Choice())
    go_on(live)
    return live


def training(choice: Choice) -> Live:
    """This session's training of a choice, not begun unless it was asked for. Raises BadText."""
    own = st.session_state.setdefault(_TRAININGS, {})
    if choice == Choice() and choice not in own:
        return example()
    if choice not in own:
        while len(own) >= KEPT:
            own.pop(next(iter(own))).stop()
        own[choice] = _fresh(choice)
    return own[choice]


def begin(choice: Choice) -> None:
    """Train on a choice from the start; what this session trained before is stopped."""
    if last := st.session_state.get(_LAST):
        last.stop()
    live = _fresh(choice)
    st.session_state.setdefault(_TRAININGS, {})[choice] = st.session_state[_LAST] = live
    go_on(live)


def _fresh(choice: Choice) -> Live:
    return Live(choice.read(stories()), choice.window, choice.rate, SECONDS)


@st.cache_data(show_spinner=False)
def stories() -> str:
    """What is read where nothing is typed."""
    return long_sample_text()


def go_on(live: Live) -> None:
    """Hand the next slice to the model thread, and after it the one behind it: other pages' work gets in between."""

    def after(done: Future) -> None:
        if done.exception() is None and live.running:
            with suppress(RuntimeError):  # the server is going down
                go_on(live)

    if live.running:
        live.begun = True
        shared.submit(live.work).add_done_callback(after)


def checks(live: Live) -> list[Check]:
    """The identities behind the training, on the vectors as they are."""
    wv = live.vectors()
    given = list(live.text.vocabulary[:2])
    entries = (words.gradient_is_autograds,)
    return shared.run_in_worker(lambda: [entry(wv, given) for entry in entries], gradients=True)

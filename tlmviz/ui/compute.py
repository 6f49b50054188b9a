"""Everything pages compute, cached and one at a time.

Traces are shared, read-only objects: they are made in inference mode and never copied.
"""

from __future__ import annotations

import gc
import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
import torch

import tlmviz
from tlmviz.analysis.interventions import combine, mute_heads, scale_scores
from tlmviz.checks import CHECKS, QUICK_CHECKS, Check
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace

DEFAULT_MODEL = "stories-rope"


class Queue:
    """A fair lock: one holder at a time, the others in order of arrival.

    Two torch calls at once on a few cores fight over the same threads and become many times
    slower than one after the other.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._busy = False
        self._waiting: deque[threading.Event] = deque()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn, hold it, pass it on."""
        with self._guard:
            ticket = threading.Event() if self._busy else None
            if ticket:
                self._waiting.append(ticket)
            self._busy = True
        if ticket:
            ticket.wait()
        try:
            yield
        finally:
            with self._guard:
                if self._waiting:
                    self._waiting.popleft().set()  # still busy: handed straight on
                else:
                    self._busy = False


@st.cache_resource(show_spinner=False)
def queue() -> Queue:
    """The process's one queue for model computation."""
    return Queue()


@st.cache_resource(max_entries=8, show_spinner=False)
def model(name: str) -> LanguageModel:
    """A loaded model, shared by all sessions."""
    return tlmviz.load(name)


@st.cache_data(show_spinner=False)
def models() -> dict[str, str]:
    """The bundled models: name -> description."""
    return tlmviz.list_models()


# A trace holds about 22 kB per token of the default model, so these bound memory as well as number.
@st.cache_resource(max_entries=16, show_spinner=False)
def trace(
    name: str, text: str, muted: tuple[tuple[int, int], ...] = (), how: str = "zero", factor: float = 1.0
) -> Trace:
    """One forward pass over a text, optionally with heads muted and scores rescaled."""
    lm = model(name)
    edits = combine(
        mute_heads(muted, how),
        scale_scores(factor, lm.config.n_layers) if factor != 1.0 else {},
    )
    with queue().turn():
        return lm.trace(text, edit=edits)


@st.cache_data(max_entries=256, show_spinner=False)
def checks(name: str, text: str, quick: bool = False) -> list[Check]:
    """All identities, measured on a text; `quick` leaves out those that need further forward passes."""
    lm, watched = model(name), trace(name, text)
    with queue().turn():
        return [check(lm, watched) for check in (QUICK_CHECKS if quick else CHECKS)]


@st.cache_resource(show_spinner=False)
def warm_up() -> bool:
    """Once per process: threads, default model, one pass, and the heap set aside from garbage collection."""
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))
    if DEFAULT_MODEL in models():
        trace(DEFAULT_MODEL, "Once upon a time").head_statistics()
    gc.collect()
    gc.freeze()
    return True

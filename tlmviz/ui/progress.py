"""Work of seconds to minutes in the model thread, and how far it is: a bar on the page while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from . import compute

Result = TypeVar("Result")
Tell = Callable[[float], None]  # called by the work with the share of it that is done
LOOK = 0.4  # seconds between two looks, and without a bar
SURE = 0.1  # share from which on the time left is said


class Stopped(Exception):
    """Ends work that nobody waits for any more."""


@dataclass
class Work(Generic[Result]):
    """Work that was handed to the model thread, and the share of it that is done; who caches it shares it.

    Where all who waited have gone on (they changed the inputs, or left the page), it ends at its next `tell`.
    """

    future: Future[Result] = field(default_factory=Future)
    share: float = 0.0
    waiting: int = 0
    stopped: bool = False
    began: float | None = None  # the first `tell`: before it, the work stands in line

    def tell(self, share: float) -> None:
        """What the work calls on its way. Raises Stopped where nobody waits for it."""
        if self.stopped:
            raise Stopped
        self.share = min(share, 1.0)
        self.began = self.began or time.monotonic()

    def wait(self, sentence: str) -> Result:
        """The result; until it is there, a bar with a sentence and the time left. Raises what the work raised."""
        if not self.future.done():  # nothing of a bar where a cached function asks again
            self.waiting += 1
            try:
                self._watch(st.empty(), sentence)
            finally:  # also where the page is run anew meanwhile
                self.waiting -= 1
                self.stopped = not self.waiting and not self.future.done()
        return self.future.result()

    def _watch(self, place: DeltaGenerator, sentence: str) -> None:
        while not self.future.done():
            try:
                self.future.exception(timeout=LOOK)
            except TimeoutError:
                place.progress(self.share, sentence + self.left)
        place.empty()

    @property
    def left(self) -> str:
        """The seconds left, as a bar says them; nothing where that is not known yet."""
        if self.share < SURE or self.began is None:
            return ""
        seconds = (time.monotonic() - self.began) / self.share * (1 - self.share)
        return f" {round(seconds)} s left" if seconds >= 1 else ""


def going(cached: Callable[..., Work[Result]], *key: Hashable) -> Work[Result]:
    """The work that a cached function has begun for a key; begun anew where it was stopped."""
    job = cached(*key)
    if job.stopped:
        cached.clear(*key)  # type: ignore[attr-defined]
        job = cached(*key)
    return job


def begin(work: Callable[[Tell], Result], n_tokens: int = 1) -> Work[Result]:
    """Hand work to the model thread, which gives it what to tell its progress to."""
    begun: Work[Result] = Work()
    begun.future = compute.submit(lambda: work(begun.tell), n_tokens, long=True)
    return begun

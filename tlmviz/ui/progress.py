"""Work of seconds to minutes in the model thread, and how far it is: a bar on the page while it runs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from . import compute

Result = TypeVar("Result")
Tell = Callable[[float], None]  # called by the work with the share of it that is done
LOOK = 0.4  # seconds between two looks, and without a bar


@dataclass
class Work(Generic[Result]):
    """Work that was handed to the model thread, and the share of it that is done; who caches it shares it."""

    future: Future[Result] = field(default_factory=Future)
    share: float = 0.0

    def tell(self, share: float) -> None:
        """What the work calls on its way."""
        self.share = min(share, 1.0)

    def wait(self, sentence: str) -> Result:
        """The result; until it is there, a bar with a sentence. Raises what the work raised."""
        if not self.future.done():  # nothing of a bar where a cached function asks again
            self._watch(st.empty(), sentence)
        return self.future.result()

    def _watch(self, place: DeltaGenerator, sentence: str) -> None:
        while not self.future.done():
            try:
                self.future.exception(timeout=LOOK)
            except TimeoutError:
                place.progress(self.share, sentence)
        place.empty()


def begin(work: Callable[[Tell], Result], n_tokens: int = 1) -> Work[Result]:
    """Hand work to the model thread, which gives it what to tell its progress to."""
    begun: Work[Result] = Work()
    begun.future = compute.submit(lambda: work(begun.tell), n_tokens)
    return begun

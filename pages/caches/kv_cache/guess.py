"""The question before the picture of the page KV cache: how much more there is to compute without a cache."""

from __future__ import annotations

from dataclasses import replace

from tlmviz.ui import guess

from .claims import answer
from .claims import question as asks
from .data import Data

FACTOR = 3.0  # from one answer to the next


def seen(data: Data) -> bool:
    """Whether the picture may be drawn; else the question is. Another head computes as much, and asks nothing anew."""
    return guess.first("kv_cache", replace(data.chosen, head=(0, 0)), lambda: question(data))


def question(data: Data) -> guess.Question | None:
    """How many times the operations of the generated tokens are without the cache; None where none is generated."""
    if not data.chosen.tokens:
        return None
    cached, again = data.totals
    times = again / cached
    return guess.question(
        asks(data),
        times,
        guess.ladder(times, (data.chosen.model, data.done.ids), FACTOR),
        answer(times, cached, again),
        show=lambda value: f"{guess.three_digits(value)} times",
    )

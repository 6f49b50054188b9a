"""What several tours measure on the models of the app: where a head looks, which next token is likeliest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures.written import number
from tlmviz.tracing.trace import Trace

from .. import compute
from .parts import Measured

STORY = compute.DEFAULT_MODEL


def story() -> LanguageModel:
    """The model that a language page opens on."""
    return compute.model(STORY)


def story_trace(text: str) -> Trace:
    """Its pass over a text, shared with the pages."""
    return compute.trace(STORY, text)


def largest(values: Sequence[float]) -> int:
    """Where the largest of some values stands."""
    return max(range(len(values)), key=lambda index: values[index])


def looked_at(
    text: str, head: tuple[int, int], query: int, keys: Mapping[str, int], model: str = STORY
) -> Callable[[], Measured]:
    """A measure: which of the named `keys` (positions) gets most of a head's weight from the token at `query`."""

    def measure() -> Measured:
        trace = compute.trace(model, text)  # here: the worker that waits for itself waits for ever
        row = compute.run_in_worker(lambda: trace.attention(*head, rows=slice(query, query + 1))[0])
        weights = [float(row[key]) for key in keys.values()]
        said = ", ".join(f"{name} {number(weight, '.0%')}" for name, weight in zip(keys, weights))
        return Measured(largest(weights), f"of the weight of L{head[0]}H{head[1]}, {said}.")

    return measure


def token(text: str) -> int:
    """The one token of the story model that a piece of text is."""
    return story().encode(text)[-1]


def likeliest(text: str, words: Sequence[str], model: str = STORY) -> Callable[[], Measured]:
    """A measure: which of some words, one token each, is most probable after a text."""

    def measure() -> Measured:
        lm = compute.model(model)
        chances = compute.trace(model, text).probabilities()
        shares = [float(chances[lm.encode(word)[-1]]) for word in words]
        said = ", ".join(f"“{word.strip()}” {number(share, '.1%')}" for word, share in zip(words, shares))
        return Measured(largest(shares), f"{said}.")

    return measure


def nearest(value: float, marks: Sequence[float]) -> int:
    """Which of some marks a value is nearest to."""
    return largest([-abs(value - mark) for mark in marks])

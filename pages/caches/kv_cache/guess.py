"""The question before the picture of the page KV cache: how much more there is to compute without a cache."""

from __future__ import annotations

from tlmviz.ui import guess

from . import compute, words
from .controls import STEPS, Choice

FACTOR = 3.0  # from one answer to the next


def seen(choice: Choice) -> bool:
    """Whether the picture may be drawn; else the question is. Another head computes as much, and asks nothing anew."""
    about = choice.model, choice.text, choice.view, choice.tokens, choice.temperature, choice.seed
    return guess.first("kv_cache", about, lambda: question(choice))


def question(choice: Choice) -> guess.Question | None:
    """How many times the operations of the generated tokens are without the cache; None in other views, and for none."""
    if choice.view != STEPS or not choice.tokens:
        return None
    decoding = compute.decoding(choice)
    cached, read_again = map(sum, zip(*compute.flops(choice, decoding)[1:], strict=True))
    times = read_again / cached
    return guess.question(
        words.guess(choice, decoding),
        times,
        guess.ladder(times, (choice.model, decoding.ids), FACTOR),
        words.guessed(times, cached, read_again),
        show=lambda value: f"{guess.three_digits(value)} times",
    )

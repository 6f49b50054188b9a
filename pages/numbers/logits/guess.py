"""The question before the scores of the page Logits: how far the products of a trained head pull together."""

from __future__ import annotations

from tlmviz.ui import guess

from . import compute, words
from .controls import SCORES, Choice

NEAR = 0.15  # of the true answer: what is as near to it is no other answer


def seen(choice: Choice) -> bool:
    """Whether the pictures may be drawn; else the question is."""
    about = choice.view, choice.model, choice.text, choice.layer, choice.head
    return guess.first("logits", about, lambda: question(choice))


def question(choice: Choice) -> guess.Question | None:
    """How many times the variance of one product a score has, beside what independent products give; None in other views."""
    if choice.view != SCORES:
        return None
    growth = compute.heads(choice.model, choice.text).trained[choice.layer][choice.head]
    size, times = len(growth.covariance), growth.variance / growth.of_one
    others = (float(size), size**0.5, size * size, size / 2, 1.0)
    return guess.question(
        words.guess(choice, size),
        times,
        [other for other in others if abs(other - times) > NEAR * times],
        words.guessed(times, growth),
        show=lambda value: f"{guess.three_digits(value)} times",
    )

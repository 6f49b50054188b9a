"""The question before the part Scores: how far the products of a trained head pull together."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui import guess
from tlmviz.ui.language import _

from .spread.data import Data

NEAR = 0.15  # of the true answer: what is as near to it is no other answer


def seen(data: Data) -> bool:
    """Whether the pictures may be drawn; else the question is."""
    return guess.first("norms", data.chosen, lambda: question(data))


def question(data: Data) -> guess.Question | None:
    """How many times the variance of one product a score has, beside what independent products give."""
    growth, head = data.head, f"L{data.chosen.layer}H{data.chosen.head}"
    size, times = len(growth.covariance), growth.variance / growth.of_one
    asks = _(
        "A score of head {head} is a sum of {size} products. If these did not know one another, its variance would be "
        "{size} times that of one. How many times is it in the trained model?",
        head=head,
        size=size,
    )
    says = _(
        "It has **{times} times** the variance of one product: {pull} times what {size} independent ones would give.",
        times=guess.three_digits(times),
        pull=number(growth.pull, ".2g"),
        size=size,
    )
    others = [
        other for other in (float(size), size**0.5, size * size, size / 2, 1.0) if abs(other - times) > NEAR * times
    ]
    return guess.question(
        asks, times, others, says, show=lambda value: _("{times} times", times=guess.three_digits(value))
    )

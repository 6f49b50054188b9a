"""The question before the picture of the page Why it looks there: to which source the key owes most of a score."""

from __future__ import annotations

from tlmviz.ui import guess

from . import compute, words
from .controls import SCORE, Choice

CLEAR = 0.05  # of the largest sum, by which it must lead the next: less is a tie


def seen(choice: Choice) -> bool:
    """Whether the picture may be drawn; else the question is. Weights pinned and followed in it ask nothing anew."""
    return guess.first("why", (choice.model, choice.text, choice.view), lambda: question(choice))


def question(choice: Choice) -> guess.Question | None:
    """Which source at the key gives most of the score; None for pairs of heads, ties, and scores that nothing adds to."""
    if choice.view != SCORE:
        return None
    found = compute.explanation(choice.model, choice.text, choice.step)
    sums = found.scores.sum(0).tolist()
    ranked = sorted(range(len(sums)), key=lambda source: -sums[source])
    if (
        len(ranked) < guess.FEWEST
        or sums[ranked[0]] <= 0
        or sums[ranked[0]] - sums[ranked[1]] < CLEAR * sums[ranked[0]]
    ):
        return None
    return guess.question(
        words.guess(found, choice.step),
        ranked[0],
        ranked[1:],
        words.guessed(found, ranked[0], sums[ranked[0]]),
        show=found.names.__getitem__,
    )

"""The question before the picture of the page Why it looks there: to which source the key owes most of a score."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui import guess, markdown
from tlmviz.ui.language import _

from .claims import token
from .data import Data

CLEAR = 0.05  # of the largest sum, by which it must lead the next: less is a tie


def seen(data: Data) -> bool:
    """Whether the picture may be drawn; else the question is. Weights pinned and followed in it ask nothing anew."""
    chosen = data.chosen
    return guess.first("why", (chosen.model, chosen.text, chosen.view), lambda: question(data))


def question(data: Data) -> guess.Question | None:
    """Which source at the key gives most of the score; None for ties, and scores that nothing adds to."""
    found, step = data.found, data.step
    sums = found.scores.sum(0).tolist()
    ranked = sorted(range(len(sums)), key=lambda source: -sums[source])
    if (
        len(ranked) < guess.FEWEST
        or sums[ranked[0]] <= 0
        or sums[ranked[0]] - sums[ranked[1]] < CLEAR * sums[ranked[0]]
    ):
        return None
    asks = _(
        "{head} at {query} gives {weight} of its attention to {key}. Which part of the model wrote what it finds at "
        "{key}, more than any other? L2H1 is head 1 of layer 2.",
        head=step.name,
        query=token(data, step.query),
        weight=number(found.weight, ".0%"),
        key=token(data, step.key),
    )
    says = _(
        "**{source}** gives {total} of a score of {score}, more than any other source at the key.",
        source=markdown.plain(found.names[ranked[0]]),
        total=number(sums[ranked[0]], ".2f"),
        score=number(found.score, ".2f"),
    )
    return guess.question(asks, ranked[0], ranked[1:], says, show=found.names.__getitem__)

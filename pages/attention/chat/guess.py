"""The question before the pictures of the page Chat: whose words all heads together read most."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.attention.roles import PARTIES
from tlmviz.ui import guess

from . import words
from .controls import Choice

CLEAR = 0.01  # of all attention, by which the first must lead the second: less is a tie


def seen(choice: Choice, shares: dict[str, np.ndarray]) -> bool:
    """Whether the pictures may be drawn; else the question is."""
    return guess.first("chat", (choice.model, choice.turns, choice.source), lambda: question(choice, shares))


def question(choice: Choice, shares: dict[str, np.ndarray]) -> guess.Question | None:
    """Which party gets most of the attention of all heads; None where nobody does, and where few are there."""
    means = {party: float(share.mean()) for party, share in shares.items()}
    best, second, *others = sorted(means, key=lambda party: -means[party])
    if means[best] - means[second] < CLEAR:
        return None
    return guess.question(
        words.guess(choice),
        best,
        [party for party in (second, *others) if means[party] > 0],
        words.guessed(best, second, means),
        show=words.PARTY_NAMES.__getitem__,
        order=PARTIES.index,
    )

"""The question before the clocks of the page RoPE planes: which plane moves the score of query and key most."""

from __future__ import annotations

from tlmviz.ui import guess

from . import compute, words
from .controls import CLOCKS, Choice

CLEAR = 0.05  # of the largest part, by which it must lead the next: less is a tie


def seen(choice: Choice) -> bool:
    """Whether the picture may be drawn; else the question is."""
    about = choice.model, choice.text, choice.part, choice.head, choice.pair, choice.base
    return guess.first("rope_planes", about, lambda: question(choice))


def question(choice: Choice) -> guess.Question | None:
    """Which plane's part of the score is largest, up or down; None for other parts of the page, ties, and few planes."""
    if choice.part != CLOCKS:
        return None
    clocks = compute.clocks(choice)
    parts, size = clocks.parts[clocks.home], abs(clocks.parts[clocks.home])
    ranked = (-size).argsort(kind="stable").tolist()
    if len(ranked) < guess.FEWEST or size[ranked[0]] - size[ranked[1]] < CLEAR * size[ranked[0]]:
        return None
    best, last = ranked[0], len(ranked) - 1
    return guess.question(
        words.guess(choice),
        best,
        (0, last, ranked[1], *ranked),
        words.guessed(choice, best, float(parts[best]), float(parts.sum())),
        show=lambda plane: words.plane(plane, float(clocks.wavelength[plane])),
    )

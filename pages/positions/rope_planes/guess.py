"""The question before the clocks of the page RoPE planes: which plane moves the score of query and key most."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui import guess
from tlmviz.ui.language import _

from .claims import head, token
from .data import Data

CLEAR = 0.05  # of the largest part, by which it must lead the next: less is a tie


def seen(data: Data) -> bool:
    """Whether the picture may be drawn; else the question is."""
    chosen = data.chosen
    about = chosen.model, chosen.text, chosen.head, chosen.pair, data.base
    return guess.first("rope_planes", about, lambda: question(data))


def question(data: Data) -> guess.Question | None:
    """Which plane's part of the score is largest, up or down; None for ties, and few planes."""
    clocks = data.clocks
    parts, size = clocks.parts[clocks.home], abs(clocks.parts[clocks.home])
    ranked = (-size).argsort(kind="stable").tolist()
    if len(ranked) < guess.FEWEST or size[ranked[0]] - size[ranked[1]] < CLEAR * size[ranked[0]]:
        return None
    best, last = ranked[0], len(ranked) - 1
    asks = _(
        "In head {head}, query {query} meets key {key}. Which plane, a pair of dimensions, moves their score most, up "
        "or down?",
        head=head(data),
        query=token(data, 0),
        key=token(data, 1),
    )
    says = _(
        "**Plane {best}** adds {part} to a score of {score}, more than any other.",
        best=best,
        part=number(float(parts[best]), "+.2f"),
        score=number(float(parts.sum()), ".2f"),
    )
    turns = guess.three_digits
    return guess.question(
        asks,
        best,
        (0, last, ranked[1], *ranked),
        says,
        show=lambda plane: _(
            "Plane {n}: a turn in {turn} tokens", n=plane, turn=turns(float(clocks.wavelength[plane]))
        ),
    )

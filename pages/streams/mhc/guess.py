"""The question before the picture of the page mHC: how far mixing without a constraint carries the embedding."""

from __future__ import annotations

from pages.streams.mhc import compute, words
from pages.streams.mhc.controls import Reading
from tlmviz.analysis.streams.mixing import carried
from tlmviz.ui import guess

FACTOR = 5.0  # from one answer to the next
CLEAR = 1.2  # less is hardly more than at the start


def seen(reading: Reading) -> bool:
    """Whether the picture may be drawn; else the question is."""
    return guess.first(
        "mhc", (tuple(compute.family(reading.model).items()), reading.text), lambda: question(reading)
    )


def question(reading: Reading) -> guess.Question | None:
    """The largest factor at which the embedding is carried in any stream; None for a family without free mixing."""
    family = compute.family(reading.model)
    if "hyper" not in family:
        return None
    most = {kind: carried(compute.mixing(reading.by(name)).res)[1] for kind, name in family.items()}
    free = most["hyper"]
    if free < CLEAR:
        return None
    about = family["hyper"], reading.text
    return guess.question(
        words.guess(family["hyper"], len(reading.sublayers)),
        free,
        (
            1.0,
            *(each for each in guess.ladder(free, about, FACTOR) if each > 2),
            free * FACTOR,
            free * FACTOR**2,
        ),
        words.guessed(family, most),
        show=lambda value: f"× {guess.three_digits(value)}",
    )

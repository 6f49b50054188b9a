"""The question before the picture of the page Formats: what a format makes of a number."""

from __future__ import annotations

import math

import numpy as np

from tlmviz.analysis.numbers.formats import Format, read, rounded
from tlmviz.ui import guess

from . import words
from .controls import Choice


def seen(choice: Choice) -> bool:
    """Whether the picture may be drawn; else the question is. What is typed or clicked in the picture asks nothing anew."""
    return guess.first("formats", choice.origin, lambda: question(choice))


def question(choice: Choice) -> guess.Question | None:
    """The format's number for what is typed, beside that itself and the format's next; None for what is no finite number."""
    if not words.readable(choice.text, choice.format):
        return None
    typed = read(choice.text, choice.format)
    kept = float(rounded(typed, choice.format))
    if not (math.isfinite(typed) and math.isfinite(kept)):
        return None
    below, above = neighbours(kept, choice.format)
    return guess.question(
        words.guess(choice, typed),
        kept,
        [other for other in (typed, below, above) if math.isfinite(other)],
        words.guessed(choice, typed, kept),
        show=words.written,
    )


def neighbours(value: float, format: Format) -> tuple[float, float]:
    """The numbers of a format next below and above one of its own; infinite where there is none."""
    _, exponent = np.frexp(np.abs(value))
    step = float(np.ldexp(1.0, max(int(exponent) - 1, format.least) - format.mantissa))
    found = []
    for way in (-1.0, 1.0):
        # Below a power of two the numbers lie twice as close.
        near = float(rounded(value + way * step / 2, format))
        other = near if near != value else float(rounded(value + way * step, format))
        found.append(other if abs(other) <= format.largest and other != value else way * math.inf)
    return found[0], found[1]

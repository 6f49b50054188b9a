"""How well a model reads the digits that it was never trained on, nine to a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from ... import digits

Predict = Callable[[Float[np.ndarray, "n 24 24"]], Float[np.ndarray, "n o k"]]
SOME = 4  # every fourth picture is enough where many things are tried


@dataclass(frozen=True)
class Quality:
    """The pictures of `tlmviz.digits.held_out_pictures` by what stands in their cells and what is read there: `truth`
    and `read` [n, 9], where digits.NOTHING is nothing."""

    truth: Int[np.ndarray, "n o"]
    read: Int[np.ndarray, "n o"]

    @property
    def right_cells(self) -> Bool[np.ndarray, "n o"]:
        """Which digits are read right."""
        return self.read == self.truth

    @property
    def right(self) -> float:
        """Share of the digits that is read right."""
        return float(self.right_cells.mean())

    @property
    def whole(self) -> float:
        """Share of the pictures in which every digit is."""
        return float(self.right_cells.all(1).mean())

    @cached_property
    def confusion(self) -> Int[np.ndarray, "k j"]:
        """Digits [10, 11] by what they are (rows) and what they are read as (columns, the last is nothing)."""
        counts = np.zeros((10, digits.NOTHING + 1), np.int64)
        np.add.at(counts, (self.truth.ravel(), self.read.ravel()), 1)
        return counts

    @property
    def per_digit(self) -> Float[np.ndarray, " k"]:
        """Share read right of each digit."""
        return np.diag(self.confusion) / self.confusion.sum(1)


def quality(predict: Predict, every: int = 1) -> Quality:
    """What a function from pictures to probabilities makes of the held-out pictures, or of every few of them."""
    pictures, labels = digits.held_out_pictures()
    return Quality(labels[::every], predict(pictures[::every]).argmax(-1))


def by_number(predict: Predict, every: int = SOME) -> Float[np.ndarray, " 9"]:
    """Share of the digits read right in pictures of one to nine of them: the same digits each time, one more taken
    out."""
    pictures, labels = (each[::every] for each in digits.held_out_pictures())
    order = np.random.default_rng(0).random(labels.shape).argsort(1)
    found = []
    for number in range(1, digits.GRID**2 + 1):
        there = order < number
        paper = np.broadcast_to(there[..., None, None], (*there.shape, digits.SIDE, digits.SIDE))
        read = predict(pictures * digits.side_by_side(paper)).argmax(-1)
        found.append((read == labels)[there].mean())
    return np.array(found)

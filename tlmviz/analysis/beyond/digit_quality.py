"""How well a model reads the digits that it was never trained on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from ... import digits

Predict = Callable[[Float[np.ndarray, "n 8 8"]], Float[np.ndarray, "n k"]]


@dataclass(frozen=True)
class Quality:
    """Held-out digits by what they are and what they are read as: `confusion` [10, 10], rows what they are. `read` [n] is what
    each one is read as, `wrong` the indices of those read as another digit."""

    confusion: Int[np.ndarray, "k k"]
    read: Int[np.ndarray, " n"]
    wrong: tuple[int, ...]

    @property
    def right(self) -> float:
        """Share of the digits that is read right."""
        return float(np.trace(self.confusion) / self.confusion.sum())

    @property
    def per_digit(self) -> Float[np.ndarray, " k"]:
        """The same for each digit."""
        return np.diag(self.confusion) / self.confusion.sum(1)


def quality(predict: Predict) -> Quality:
    """What a function from pictures to probabilities makes of the held-out digits."""
    data = digits.held_out()
    read = predict(data.images).argmax(1)
    confusion = np.zeros((10, 10), np.int64)
    np.add.at(confusion, (data.labels, read), 1)
    return Quality(confusion, read, tuple(np.flatnonzero(read != data.labels).tolist()))

"""The handwritten digits that scikit-learn ships, and which of them training never sees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float, Int

from .errors import BadShape
from .extras import require

SIDE, INK = 8, 16  # pixels of a side, and the largest value of one
LEVELS = "0123456789abcdefg"  # a pixel as a letter
# The rows are forms of some 128 digits, each filled in by one hand in the same order. The last three forms are held out, so
# that what is measured there is how other handwriting is read.
HELD_OUT = 1415


@dataclass(frozen=True)
class Digits:
    """Pictures of digits.

    images [n, 8, 8] in 0-16 (0 is paper, 16 ink), labels [n] in 0-9. Source: Alpaydin and Kaynak, Optical Recognition of
    Handwritten Digits, UCI Machine Learning Repository (CC BY 4.0), of which scikit-learn holds the test part.
    """

    images: Float[np.ndarray, "n 8 8"]
    labels: Int[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.labels)


def training() -> Digits:
    """The 1,415 digits that models are trained on."""
    digits = _all()
    return Digits(digits.images[:HELD_OUT], digits.labels[:HELD_OUT])


def held_out() -> Digits:
    """The 382 digits that no model here was trained on."""
    digits = _all()
    return Digits(digits.images[HELD_OUT:], digits.labels[HELD_OUT:])


@lru_cache(maxsize=1)
def _all() -> Digits:
    require("sklearn", "app", "The set of digits")
    from sklearn.datasets import load_digits  # late: importing it takes a while

    bunch = load_digits()
    for array in (bunch.images, bunch.target):
        array.flags.writeable = False  # shared by all who ask
    return Digits(bunch.images, bunch.target)


def written(image: Int[np.ndarray, "8 8"] | Float[np.ndarray, "8 8"]) -> str:
    """A picture of whole numbers 0 to 16 as 64 letters, 0-9 and a-g, row by row."""
    return "".join(LEVELS[int(value)] for value in np.asarray(image).ravel())


def read(text: str) -> Float[np.ndarray, "8 8"]:
    """The picture that `written` wrote. Raises BadShape."""
    if len(text) != SIDE**2 or not set(text) <= set(LEVELS):
        raise BadShape(
            f"{text[:80]!r} is no picture; write {SIDE**2} letters, one of {LEVELS} for each pixel, row by row."
        )
    return np.array([LEVELS.index(letter) for letter in text], np.float64).reshape(SIDE, SIDE)

"""The handwritten digits that scikit-learn ships, and which of them training never sees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from einops import rearrange
from jaxtyping import Float, Int

from .errors import BadShape
from .extras import require

SIDE, INK = 8, 16  # pixels of a side, and the largest value of one
GRID, NOTHING = 3, 10  # cells of a side of a picture of several digits, and what an empty one is counted as
LEVELS = "0123456789abcdefg"  # a pixel as a letter
# The rows are forms of some 128 digits, each filled in by one hand in the same order. The last three forms are held
# out, so that what is measured there is how other handwriting is read.
HELD_OUT = 1415
# Of a drawing: how much taller or narrower it may become without being changed, how many pixels it may lie aside,
# points of a pixel's side that it is read at, and the largest power that thins it.
NEARLY, ASIDE, FINE, STEEPEST = 1.2, 1.2, 4, 6.0


@dataclass(frozen=True)
class Digits:
    """Pictures of digits.

    images [n, 8, 8] in 0-16 (0 is paper, 16 ink), labels [n] in 0-9. Source: Alpaydin and Kaynak, Optical Recognition
    of Handwritten Digits, UCI Machine Learning Repository (CC BY 4.0), of which scikit-learn holds the test part.
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


Cells = TypeVar("Cells")


def side_by_side(cells: Cells) -> Cells:
    """Pictures [..., 24, 24] of nine cells each, [..., 9, 8, 8], row by row."""
    return rearrange(cells, "... (r c) y x -> ... (r y) (c x)", r=GRID)


@lru_cache(maxsize=1)
def held_out_pictures() -> tuple[Float[np.ndarray, "n 24 24"], Int[np.ndarray, "n 9"]]:
    """Pictures of nine held-out digits each, and their labels: number n holds the digits from n on, row by row, and the
    first ones follow on the last. So each digit stands once in every cell."""
    data = held_out()
    which = np.add.outer(np.arange(len(data)), np.arange(GRID**2)) % len(data)
    return side_by_side(data.images[which]), data.labels[which]


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


def normalised(image: Float[np.ndarray, "8 8"]) -> Float[np.ndarray, "8 8"]:
    """A drawing as the forms were made into pictures: cut out, as tall as the paper, in its middle, and no thicker.

    The digits of the set lie so already and stay as they are, as does an empty picture. Numbers are whole.
    """
    image = np.asarray(image, np.float64)
    if not image.any():
        return image
    widest, ink = _usual()
    (top, bottom), (left, right) = _extent(image.max(1)), _extent(image.max(0))
    tall, wide = SIDE / (bottom - top), min(SIDE / (bottom - top), widest / (right - left))
    if tall < NEARLY and wide > 1 / NEARLY:
        tall = wide = 1.0
    off = max(abs(top + bottom - SIDE), abs(left + right - SIDE)) / 2  # pixels from its middle to the paper's
    if (tall, wide) == (1, 1) and off < ASIDE:
        return image
    fine = (np.arange(FINE * SIDE) + 0.5) / FINE - SIDE / 2
    ys, xs = fine / tall + (top + bottom) / 2, fine / wide + (left + right) / 2
    larger = _between(_between(image, ys).T, xs).T.reshape(SIDE, FINE, SIDE, FINE).mean((1, 3))
    return np.round(INK * _thinned(larger / larger.max(), ink))


def _extent(line: Float[np.ndarray, " 8"]) -> tuple[float, float]:
    """Where ink begins and ends along a side, in pixels: a pixel half inked is half within."""
    line = line / INK
    [inked] = np.nonzero(line > 0.1)
    if not len(inked):
        return 0.0, float(SIDE)
    if len(inked) == 1:
        return float(inked[0]), float(inked[0] + 1)
    return float(inked[0] + 1 - line[inked[0]]), float(inked[-1] + line[inked[-1]])


@lru_cache(maxsize=1)
def _usual() -> tuple[float, float]:
    """Of the training digits how wide the wide ones are, in pixels, and how much of the paper is ink."""
    images = training().images
    widths = [right - left for left, right in (_extent(image.max(0)) for image in images)]
    return float(np.quantile(widths, 0.95)), float(images.mean() / INK)


def _between(image: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The picture at rows between its own, counted from its upper edge; outside of it is paper."""
    padded = np.pad(image, ((1, 1), (0, 0)))
    at = np.clip(rows + 0.5, 0, len(padded) - 1.001)
    above, share = at.astype(int), (at % 1)[:, None]
    found: np.ndarray = padded[above] * (1 - share) + padded[above + 1] * share
    return found


def _thinned(image: np.ndarray, ink: float) -> np.ndarray:
    """A picture of 0 to 1 with edges darkened less, by one power for all pixels, until its mean is no more than
    `ink`."""
    least, most = 1.0, STEEPEST
    for _ in range(30 if image.mean() > ink else 0):
        middle = (least + most) / 2
        least, most = (middle, most) if (image**middle).mean() > ink else (least, middle)
    found: np.ndarray = image**least
    return found

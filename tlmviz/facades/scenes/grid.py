"""The pictures that the models of scenes look at: nine cells of 8 x 8 pixels, some of them empty."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from ... import digits
from ...digits import INK
from ...digits import SIDE as PIXELS
from ...errors import BadShape
from .language import PLACES, SIDE, Labels

FORM = "give 3 rows of 3 cells, each None or an image [8, 8] of pixels from 0 (paper) to 16 (ink)"


def compose(grid: Any) -> Float[np.ndarray, "24 24"]:
    """The picture of a grid, as `pictured` makes it. Raises BadShape also for a blank one."""
    picture = pictured(grid)
    if not picture.any():
        raise BadShape("The grid is blank; put a digit into at least one of its cells.")
    return picture


def pictured(grid: Any) -> Float[np.ndarray, "24 24"]:
    """The picture of a grid: 3 rows of 3 cells, each an [8, 8] image in 0-16, or None where the cell is empty.

    Raises BadShape for anything else.
    """
    try:
        rows = [list(row) for row in grid]
    except TypeError as error:
        raise BadShape(f"The grid is {_short(grid)}; {FORM}.") from error
    if len(rows) != SIDE or any(len(row) != SIDE for row in rows):
        sizes = ", ".join(str(len(row)) for row in rows[:9])
        raise BadShape(f"The grid has {len(rows):,} rows{f' of {sizes} cells' if rows else ''}; {FORM}.")
    cells = [_cell(image, PLACES[n]) for n, image in enumerate(image for row in rows for image in row)]
    return digits.side_by_side(np.stack(cells))


def held_out_grid(labels: Labels) -> list[list[Any]]:
    """The grid of nine labels: the first held-out picture of each digit, None where a cell is empty."""
    held_out = digits.held_out()
    cells = [None if label is None else held_out.images[np.argmax(held_out.labels == label)] for label in labels]
    return [cells[row : row + SIDE] for row in range(0, SIDE * SIDE, SIDE)]


def _cell(image: Any, place: str) -> Float[np.ndarray, "8 8"]:
    """One cell's pixels. Raises BadShape."""
    if image is None:
        return np.zeros((PIXELS, PIXELS), np.float32)
    try:
        pixels = np.asarray(image, np.float32)
    except (TypeError, ValueError) as error:
        raise BadShape(f"The cell at the {place} is {_short(image)}; {FORM}.") from error
    if pixels.shape != (PIXELS, PIXELS):
        raise BadShape(f"The cell at the {place} has shape {list(pixels.shape)}; {FORM}.")
    if not np.isfinite(pixels).all() or pixels.min() < 0 or pixels.max() > INK:
        wrong = pixels[~((pixels >= 0) & (pixels <= INK))].flat[0]
        raise BadShape(f"The cell at the {place} has a pixel of {wrong:g}; {FORM}.")
    return pixels


def _short(value: Any) -> str:
    return f"a {type(value).__name__}"

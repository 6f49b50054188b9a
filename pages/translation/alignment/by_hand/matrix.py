"""An attention matrix as text: numbers in rows that semicolons separate."""

from __future__ import annotations

import re

import numpy as np

from tlmviz.errors import BadShape

from . import words

SIDE = 20  # steps, and source tokens, at most
DECIMALS = 3
LARGEST = 1e6


def read_matrix(text: str) -> np.ndarray:
    """Numbers in rows that ";" separates, [T, S], each row scaled to sum 1. Raises BadShape for what is no attention."""
    rows = [re.split(r"[\s,]+", row.strip()) for row in text.strip().strip(";").split(";")]
    try:
        values = [[float(value) for value in row] for row in rows]
    except ValueError:
        raise BadShape(words.NO_NUMBER) from None
    if len({len(row) for row in values}) > 1:
        raise BadShape(words.UNEVEN_ROWS)
    if len(values) > SIDE or len(values[0]) > SIDE:
        raise BadShape(words.too_large(len(values), len(values[0]), SIDE))
    matrix = np.array(values)
    if not np.isfinite(matrix).all() or matrix.min() < 0 or matrix.max() > LARGEST:
        raise BadShape(words.NOT_POSITIVE)
    sums = matrix.sum(1, keepdims=True)
    if not sums.all():
        raise BadShape(words.empty_row(int(sums[:, 0].argmin()) + 1))
    return matrix / sums


def write_matrix(matrix: np.ndarray) -> str:
    """A matrix as `read_matrix` takes it."""
    return "; ".join(" ".join(f"{round(float(value), DECIMALS):g}" for value in row) for row in matrix)


def resized(matrix: np.ndarray, steps: int, size: int) -> np.ndarray:
    """The matrix cut, or with source tokens without weight and steps that look at the last token added."""
    result = np.zeros((steps, size))
    rows, columns = min(steps, matrix.shape[0]), min(size, matrix.shape[1])
    result[:rows, :columns] = matrix[:rows, :columns]
    result[result.sum(1) == 0, -1] = 1
    return result

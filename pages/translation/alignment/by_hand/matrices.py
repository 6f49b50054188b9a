"""A matrix of attention as text: rows of numbers that semicolons separate."""

from __future__ import annotations

import re

import numpy as np

from tlmviz.errors import BadShape

SIDE = 20  # steps, and source tokens, at most
DECIMALS = 3
LARGEST = 1e6


def read_matrix(text: str) -> np.ndarray:
    """Numbers in rows that ";" separates, [T, S], each row scaled to sum 1. Raises BadShape for what is no
    attention."""
    rows = [re.split(r"[\s,]+", row.strip()) for row in text.strip().strip(";").split(";")]
    try:
        values = [[float(value) for value in row] for row in rows]
    except ValueError:
        raise BadShape(
            "The matrix has something that is no number; write rows of numbers such as 1 0 0; 0 1 0."
        ) from None
    if len({len(row) for row in values}) > 1:
        raise BadShape("The rows of the matrix have different lengths; give each step one number per source token.")
    if len(values) > SIDE or len(values[0]) > SIDE:
        raise BadShape(
            "The matrix is {rows} × {columns}; at most {most} steps and {most} tokens are drawn.",
            rows=len(values),
            columns=len(values[0]),
            most=SIDE,
        )
    matrix = np.array(values)
    if not np.isfinite(matrix).all() or matrix.min() < 0 or matrix.max() > LARGEST:
        raise BadShape("Attention is never negative and always finite; use numbers from 0, such as 0.5.")
    sums = matrix.sum(1, keepdims=True)
    if not sums.all():
        raise BadShape(
            "Row {row} of the matrix is all zero; give the row at least one positive number.",
            row=int(sums[:, 0].argmin()) + 1,
        )
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

"""A doubly stochastic matrix as a weighted average of permutations (Birkhoff 1946, von Neumann 1953).

The stream mixing of mHC is doubly stochastic, so it is such an average: with weight w_1 the streams are rewired one
way, with weight w_2 another. The average is not unique; the greedy one, which takes the permutation whose smallest
entry is largest and subtracts it that many times, needs few terms and gives the largest weights first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from tlmviz.errors import BadShape

LARGEST = 16  # rows, as in kernels.sinkhorn
TOLERANCE = 1e-3  # of a row's or column's sum: how far from 1 it may be
SMALLEST = 1e-12  # weight of a term


@dataclass(frozen=True)
class Decomposition:
    """H = sum over k of weights[k] P_k, K terms: under P_k stream i takes what stream permutations[k, i] held.

    `residual` is the largest difference of an entry of that sum from H's.
    """

    weights: Float[np.ndarray, " k"]
    permutations: Int[np.ndarray, "k n"]
    residual: float

    def matrix(self) -> Float[np.ndarray, "n n"]:
        """The sum of the terms, float64."""
        n = self.permutations.shape[1]
        return np.einsum("k,kij->ij", self.weights, np.eye(n)[self.permutations])


def birkhoff(matrix: Float[Tensor, "n n"] | Float[np.ndarray, "n n"], tolerance: float = TOLERANCE) -> Decomposition:
    """Weights and permutations of a doubly stochastic matrix, largest weights first, at most (n - 1)^2 + 1 of them.

    Works in float64. Sums that are not quite 1 leave a residual of their errors' size.
    Raises BadShape for a matrix that is not square, has entries that are negative or no numbers, or whose rows or
    columns do not sum to 1 within `tolerance`.
    """
    rest = torch.as_tensor(matrix).detach().double().cpu().numpy().copy()
    _require_doubly_stochastic(rest, tolerance)
    whole, n = rest.copy(), len(rest)
    weights, permutations = [], []
    for _ in range((n - 1) ** 2 + 1):
        permutation = _widest(rest)
        places = np.arange(n), permutation
        weight = rest[places].min()
        if weight <= SMALLEST:
            break
        rest[places] -= weight
        weights.append(weight)
        permutations.append(permutation)
    found = Decomposition(np.array(weights), np.array(permutations, dtype=np.int64).reshape(-1, n), 0.0)
    return Decomposition(found.weights, found.permutations, float(np.abs(found.matrix() - whole).max()))


def _require_doubly_stochastic(matrix: np.ndarray, tolerance: float) -> None:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not 1 <= len(matrix) <= LARGEST:
        raise BadShape(f"the matrix must be square with 1 to {LARGEST} rows; got shape {list(matrix.shape)}.")
    if not np.isfinite(matrix).all():
        raise BadShape("the matrix holds NaN or infinity; a doubly stochastic one has entries from 0 to 1.")
    if matrix.min() < 0:
        raise BadShape(
            f"an entry is {matrix.min():.3g}, and an average of permutations has none below 0; make the matrix doubly "
            "stochastic with kernels.sinkhorn."
        )
    sums = np.concatenate([matrix.sum(1), matrix.sum(0)])
    if np.abs(sums - 1).max() > tolerance:
        raise BadShape(
            f"rows and columns sum to {sums.min():.6g} up to {sums.max():.6g}, and those of an average of permutations "
            "all sum to 1; make the matrix doubly stochastic with kernels.sinkhorn."
        )


def _widest(matrix: np.ndarray) -> np.ndarray:
    """The column of each row in a permutation whose smallest entry is as large as possible [n]."""
    steps = np.unique(matrix)
    low, high = 0, len(steps) - 1  # entries of at least steps[low] hold a permutation
    while low < high:
        middle = (low + high + 1) // 2
        if _matching(matrix >= steps[middle]) is None:
            high = middle - 1
        else:
            low = middle
    found = _matching(matrix >= steps[low])
    assert found is not None  # what is doubly stochastic holds one of positive entries
    return found


def _matching(allowed: np.ndarray) -> np.ndarray | None:
    """A column for every row, no column twice, of the allowed pairs; None where there is no such choice. By augmenting
    paths.

    Not SciPy's matching, which breaks ties in another order: for the matrices that a user steps to, the browser
    computes the same terms (birkhoff.js), as one decomposition takes NumPy milliseconds and a text has up to 12,288
    matrices.
    """
    n = len(allowed)
    row_of = [-1] * n  # of each column

    def place(row: int, seen: set[int]) -> bool:
        for col in range(n):
            if allowed[row, col] and col not in seen:
                seen.add(col)
                if row_of[col] < 0 or place(row_of[col], seen):
                    row_of[col] = row
                    return True
        return False

    if not all(place(row, set()) for row in range(n)):
        return None
    columns = np.empty(n, dtype=np.int64)
    columns[row_of] = np.arange(n)
    return columns

"""Whether a non-negative matrix can be scaled to a doubly stochastic one, and how fast Sinkhorn-Knopp gets there.

Sinkhorn and Knopp 1967: rows and columns of A can be multiplied so that D1 A D2 is doubly stochastic exactly if A has
total support: every positive entry lies on a permutation whose entries are all positive. With support alone (one such
permutation exists) the iterations converge, but entries on no such permutation go to 0. Without support they never do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching
from torch import Tensor

from tlmviz import kernels
from tlmviz.errors import BadShape
from tlmviz.layers.streams import gains

from .mixing import composite

LARGEST = 16  # rows, as many as kernels.sinkhorn takes
FIT = 1e300  # what a double can still be divided by
KINDS = ("logits", "entries")
WORK = 400_000  # entries scaled on the way to a limit
REACHED = 1e-6  # residual below which a matrix passes for the limit


@dataclass(frozen=True)
class Support:
    """What Sinkhorn-Knopp can do with a pattern of positive entries.

    `kind` is "total" (a scaling exists), "partial" (reached in the limit only; the entries `dropped`, (row, column), go
    to 0) or "none": the rows `rows` have positive entries in the columns `columns` alone, which are fewer.
    `blocks` counts the parts the limit falls into: as many of its singular values are 1.
    """

    kind: str
    blocks: int = 0
    dropped: tuple[tuple[int, int], ...] = ()
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()


def support(positive: Bool[np.ndarray, "n n"]) -> Support:
    """Decides exactly, by bipartite matching, from where a matrix is positive.

    An entry lies on a positive permutation if its row and the row matched to its column reach each other along
    alternating paths (Dulmage and Mendelsohn 1958), so strongly connected parts of one graph answer for all entries.
    """
    positive = np.asarray(positive, bool)
    n = len(positive)
    match = maximum_bipartite_matching(csr_array(positive), perm_type="column")  # row -> its column, or -1
    if (match < 0).any():
        return _too_few_columns(positive, match)
    rows, columns = np.nonzero(positive)
    partner = np.argsort(match)  # column -> its row
    leads = csr_array((np.ones(len(rows)), (rows, partner[columns])), shape=(n, n))
    blocks, of_row = connected_components(leads, connection="strong")
    lost = of_row[rows] != of_row[partner[columns]]
    dropped = tuple((int(i), int(j)) for i, j in zip(rows[lost], columns[lost]))
    return Support("partial" if dropped else "total", int(blocks), dropped)


def _too_few_columns(positive: np.ndarray, match: np.ndarray) -> Support:
    """Rows that alternating paths reach from one without a partner, and all columns they are positive in (Hall
    1935)."""
    owner = {int(column): row for row, column in enumerate(match) if column >= 0}
    rows, waiting, columns = set[int](), [int(np.argmax(match < 0))], set[int]()
    while waiting:
        row = waiting.pop()
        rows.add(row)
        for column in map(int, np.flatnonzero(positive[row])):
            if column not in columns:
                columns.add(column)
                waiting.append(owner[column])  # a free column would be a longer matching
    return Support("none", rows=tuple(sorted(rows)), columns=tuple(sorted(columns)))


# --- speed ------------------------------------------------------------------------------------------


def limit(logits: Float[Tensor, "n n"], found: Support) -> Float[Tensor, "n n"] | None:
    """Where Sinkhorn-Knopp of exp(logits) converges, in float64; None without support, or if it is not reached in time.

    Stops where the residual is 1e-14, after at most WORK / N^2 iterations. `found` is the support.
    """
    if found.kind == "none":
        return None
    z = logits.double().clone()
    for row, column in found.dropped:
        z[row, column] = -torch.inf  # it would vanish like 1 / iterations
    error = float("inf")
    for done in range(1, WORK // len(z) ** 2):
        z = z - z.logsumexp(1, keepdim=True)
        z = z - z.logsumexp(0, keepdim=True)
        if done % 8 == 0:
            error = float(residuals(z.exp()[None])[0])
            if error <= 1e-14:
                break
    return z.exp() if error < REACHED else None


def rate(logits: Float[Tensor, "n n"], found: Support) -> float:
    """What the residual is multiplied by in each iteration, in the end: the square of the limit's largest singular
    value behind those that are 1 (Knight 2008). NaN without total support, or where the limit is not reached in time.
    """
    end = limit(logits, found) if found.kind == "total" else None
    if end is None:
        return float("nan")
    values = torch.linalg.svdvals(end)
    return min(1.0, float(values[found.blocks] ** 2)) if len(values) > found.blocks else 0.0


def residuals(iterates: Float[Tensor, "k n n"]) -> Float[Tensor, " k"]:
    """Largest distance of a row or column sum from 1 after each iteration."""
    return torch.maximum(*kernels.sinkhorn_errors(iterates))


def depth_gains(logits: Float[Tensor, "p n n"], iterations: int = 40) -> Float[Tensor, "k 2"]:
    """Forward and backward gain of the product of all P sublayers' H_res, each with 0, 1, ... iterations, in float64.

    Row 0 is exp(logits) scaled so that each sublayer's largest entry is 1.
    """
    iterates = kernels.sinkhorn_iterates(logits.double(), iterations)  # [K + 1, P, N, N]
    return torch.stack(gains(composite(iterates.transpose(0, 1))), -1)


# --- what people type -------------------------------------------------------------------------------


def words(text: str) -> list[list[str]]:
    """The rows of a typed matrix as they are written: one ends at a line's end, a semicolon or a bracket."""
    lines = re.split(r"[\n;\]]", text.replace("−", "-").replace("∞", "inf").replace("[", " "))
    return [row for row in (re.findall(r"[^\s,]+", line) for line in lines) if row]


def parse(text: str, kind: str) -> Float[np.ndarray, "n n"]:
    """A square matrix typed or pasted, as logits.

    As "logits" the numbers are these (-inf for an entry of 0); as "entries" they are the matrix, 0 or more, and their
    logarithms are returned. Raises BadShape with a sentence about the first thing that cannot be read.
    """
    rows = words(text)
    if not rows:
        raise BadShape("There is no matrix here; type its rows, for example 2 0; 1 3, or take a preset.")
    values = [[_number(word, i, j, kind) for j, word in enumerate(row, 1)] for i, row in enumerate(rows, 1)]
    for place, row in enumerate(values, 1):
        if len(row) != len(values):
            size = (
                f"{len(values)} row{'s' * (len(values) > 1)}, and row {place} has {len(row)} "
                f"number{'s' * (len(row) > 1)}"
            )
            raise BadShape(
                f"The matrix has {size}; a square one is needed: give every row {len(values)}, or add or remove rows."
            )
    if len(values) > LARGEST:
        size = f"{len(values)} × {len(values)}"
        raise BadShape(
            f"The matrix is {size}; at most {LARGEST} × {LARGEST} can be scaled here: leave rows and columns out."
        )
    matrix = np.array(values)
    if kind == "logits":
        return matrix
    with np.errstate(divide="ignore"):
        return np.log(matrix)


def _number(word: str, row: int, column: int, kind: str) -> float:
    where = f"Row {row}, number {column}, “{word if len(word) <= 20 else word[:19] + '…'}”,"
    try:
        value = float(word.replace("_", "?"))  # Python's digit separators are nobody's notation for matrices
    except ValueError:
        raise BadShape(f"{where} is not a number; write it like 2.5, -1 or 1e4.") from None
    if value != value or value > FIT:
        raise BadShape(f"{where} cannot be scaled to anything; use a number of at most 1e300.")
    if kind == "entries" and value < 0:
        raise BadShape(
            f"{where} is negative; a matrix to be scaled has none: use 0 or more, or read the numbers as logits."
        )
    if kind == "logits" and -np.inf < value < -FIT:
        raise BadShape(f"{where} is below what can be computed with; use -inf for an entry of 0.")
    return value

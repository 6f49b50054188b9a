"""What GloVe is about: how often words meet, the ratios of their probabilities, and how well vectors fit their
logarithms.

Pennington et al. 2014; 004 section 4.2, Eq. 19-21, which leaves out the biases and calls X P.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy import sparse

from tlmviz.protocols import WordVectorsLike

from .pairs import cooccurrence


@dataclass(frozen=True)
class Meetings:
    """How often the first K words of a vocabulary met in a text, [K, K], symmetric, each meeting weighed 1 / distance.

    `totals` [V] are the sums over all words of the vocabulary, also those without a row.
    """

    matrix: sparse.csr_matrix
    totals: Float[np.ndarray, " v"]
    window: int

    @property
    def size(self) -> int:
        """K."""
        return int(self.matrix.shape[0])

    def cells(self, rows: Sequence[int], columns: Sequence[int]) -> Float[np.ndarray, "r c"]:
        """X of some words, [R, C]."""
        block: np.ndarray = self.matrix[list(rows)][:, list(columns)].toarray()
        return block


def count_meetings(
    ids: Int[np.ndarray, " t"],
    window: int,
    size: int,
    document: Int[np.ndarray, " t"] | None = None,
    most: int | None = None,
) -> Meetings:
    """The meetings of a text's words, ids below `size`; the matrix is that of the first `most`, all unless given."""
    matrix = cooccurrence(ids, window, size, document)
    totals = np.asarray(matrix.sum(1)).ravel()
    kept = size if most is None else min(most, size)
    return Meetings(matrix[:kept, :kept].tocsr(), totals, window)


@dataclass(frozen=True)
class Ratios:
    """Two words against probes: X [2, K], P(probe | word) [2, K], and P(k | i) / P(k | j) [K].

    A ratio is infinite where only the second never met the probe, and NaN where neither did.
    """

    counts: Float[np.ndarray, "2 k"]
    probabilities: Float[np.ndarray, "2 k"]
    ratios: Float[np.ndarray, " k"]


def ratios(meetings: Meetings, i: int, j: int, probes: Sequence[int]) -> Ratios:
    """P(k | i) = X_ik / X_i of two words, and the ratio (Pennington et al. 2014, section 3)."""
    counts = meetings.cells([i, j], probes)
    sums = meetings.totals[[i, j]][:, None]
    shares = np.divide(counts, sums, out=np.zeros(counts.shape), where=sums > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Ratios(counts, shares, shares[0] / shares[1])


def fitted(wv: WordVectorsLike, rows: Sequence[int], columns: Sequence[int]) -> Float[np.ndarray, "r c"]:
    """w_r·w~_c + b_r + b~_c, what the model has in place of log X_rc, in float64. Raises UnknownName for other
    models."""
    b, b_tilde = (bias.double().numpy() for bias in wv.biases)
    w, w_tilde = wv.vectors.double().numpy()[list(rows)], wv.context_vectors.double().numpy()[list(columns)]
    values: np.ndarray = w @ w_tilde.T + b[list(rows)][:, None] + b_tilde[list(columns)][None]
    return values


def fitted_log_ratios(wv: WordVectorsLike, i: int, j: int, probes: Sequence[int]) -> Float[np.ndarray, " k"]:
    """(w_i - w_j)·w~_k + b_i - b_j: the logarithm of X_ik / X_jk as the model has it; the probe's own bias falls
    out."""
    b = wv.biases[0].double().numpy()
    w, w_tilde = wv.vectors.double().numpy(), wv.context_vectors.double().numpy()[list(probes)]
    values: np.ndarray = w_tilde @ (w[i] - w[j]) + b[i] - b[j]
    return values


def weight(x: Float[np.ndarray, " ..."], x_max: float, alpha: float) -> Float[np.ndarray, " ..."]:
    """f(x) = min(1, (x / x_max)^alpha); f(0) = 0 (004 Eq. 21)."""
    return np.minimum(1.0, x / x_max) ** alpha


@dataclass(frozen=True)
class Fit:
    """Every cell that is not 0: log X, the model's value and the weight f(X), [M] each."""

    log_x: Float[np.ndarray, " m"]
    value: Float[np.ndarray, " m"]
    weight: Float[np.ndarray, " m"]

    def error(self, weighted: bool = True) -> float:
        """The root of the mean squared error in log X, weighed by f or plain."""
        squares = (self.value - self.log_x) ** 2
        return float(np.sqrt(np.average(squares, weights=self.weight if weighted else None)))


def fit(wv: WordVectorsLike, meetings: Meetings) -> Fit:
    """How the model fits the counts (004 Eq. 19-20). Raises UnknownName for other models than GloVe."""
    cells, words = meetings.matrix.tocoo(), range(meetings.size)
    values = fitted(wv, words, words)[cells.row, cells.col]
    return Fit(np.log(cells.data), values, weight(cells.data, wv.config.x_max, wv.config.alpha))

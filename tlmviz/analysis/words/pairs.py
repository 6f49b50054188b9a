"""Sliding windows: which words predict which (004 section 2.2), how rare frequent ones are made, and how often two
meet.

A window m is the number of words looked at on each side, 2m + 1 in all (004 Eq. 8).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int
from scipy import sparse


def pairs(words: Sequence[str], window: int) -> list[tuple[str, str]]:
    """(center, context) of every window in the order of the text (004 Eq. 5-6)."""
    centers, contexts = pair_positions(np.full(len(words), window))
    return [(words[c], words[o]) for c, o in zip(centers.tolist(), contexts.tolist())]


def pair_positions(
    radius: Int[np.ndarray, " t"], document: Int[np.ndarray, " t"] | None = None
) -> tuple[Int[np.ndarray, " p"], Int[np.ndarray, " p"]]:
    """Positions of centers and of their context words, [P] each, in the order of the text.

    `radius` gives each center's own window, so that training can draw it; `document` the number of the text that a
    position belongs to, as no window reaches into another one.
    """
    length = len(radius)
    reach = int(radius.max(initial=0))
    offsets = np.concatenate([np.arange(-reach, 0), np.arange(1, reach + 1)])
    centers = np.repeat(np.arange(length), len(offsets))
    contexts = centers + np.tile(offsets, length)
    inside = (contexts >= 0) & (contexts < length) & (np.abs(contexts - centers) <= radius[centers])
    centers, contexts = centers[inside], contexts[inside]
    if document is not None:
        same = document[centers] == document[contexts]
        centers, contexts = centers[same], contexts[same]
    return centers, contexts


def keep_probability(counts: Int[np.ndarray, " v"], threshold: float) -> Float[np.ndarray, " v"]:
    """min(1, sqrt(t / f)): how likely an occurrence of each word stays in the text, f its share of all words.

    Mikolov et al. 2013b Eq. 5, which drops with 1 - sqrt(t / f). word2vec.c and gensim keep t / f more. A threshold of
    0 drops nothing.
    """
    if threshold <= 0:
        return np.ones(len(counts))
    share = counts / counts.sum()
    return np.minimum(1.0, np.sqrt(threshold / share))


def noise_distribution(counts: Int[np.ndarray, " v"], power: float = 0.75) -> Float[np.ndarray, " v"]:
    """How likely each word is drawn as a negative sample: U^(3/4), the counts to a power, sum 1 (Mikolov et al. 2013b
    2.2)."""
    weights = counts.astype(np.float64) ** power
    return weights / weights.sum()


def cooccurrence(
    ids: Int[np.ndarray, " t"],
    window: int,
    size: int,
    document: Int[np.ndarray, " t"] | None = None,
    by_distance: bool = True,
) -> sparse.csr_matrix:
    """X [V, V]: how often each word stands in another one's window, each meeting weighed 1 / distance, or 1.

    GloVe counts by distance (Pennington et al. 2014 section 4.2). The matrix is symmetric.
    """
    rows, columns, weights = [], [], []
    for distance in range(1, min(window, len(ids) - 1) + 1):
        left, right = ids[:-distance], ids[distance:]
        if document is not None:
            same = document[:-distance] == document[distance:]
            left, right = left[same], right[same]
        rows += [left, right]
        columns += [right, left]
        weights.append(np.full(2 * len(left), 1 / distance if by_distance else 1.0))
    if not rows:
        return sparse.csr_matrix((size, size))
    entries = np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns))
    return sparse.coo_matrix(entries, shape=(size, size)).tocsr()  # equal cells are added up

"""Which words lie near each other: cosines, neighbours, analogies (004 Eq. 1), and how often a neighbour is of the same
sort."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor


def unit(vectors: Float[Tensor, "n c"]) -> Float[Tensor, "n c"]:
    """Every row divided by its length; rows of zeros stay."""
    return vectors / vectors.norm(dim=-1, keepdim=True).clamp(min=1e-12)


def cosines(vector: Float[Tensor, " c"], vectors: Float[Tensor, "n c"]) -> Float[Tensor, " n"]:
    """The cosine of a vector with every row."""
    return unit(vectors) @ unit(vector[None])[0]


def analogy_vector(a: Float[Tensor, " c"], b: Float[Tensor, " c"], c: Float[Tensor, " c"]) -> Float[Tensor, " c"]:
    """b - a + c of unit vectors: where "a is to b as c is to ?" points (004 Eq. 1, an approximation and not an
    equation)."""
    one, two, three = unit(torch.stack([a, b, c]))
    return two - one + three


def precision(
    vectors: Float[np.ndarray, "v c"],
    row: Mapping[str, int],
    categories: Mapping[str, Sequence[str]],
    n: int = 5,
    everywhere: bool = False,
) -> float:
    """Which share of the n nearest neighbours of each category's words is of the same category, mean over words.

    Neighbours are looked for among the words of all categories, or `everywhere` among all rows. `row` gives a word's
    row. Words that have none are left out.
    """
    of = {word: name for name, words in categories.items() for word in words if word in row}
    words = list(of)
    rows = np.array([row[word] for word in words])
    scaled = vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-12)
    candidates = np.arange(len(vectors)) if everywhere else rows
    name_of = {row[word]: name for word, name in of.items()}
    near = scaled[rows] @ scaled[candidates].T
    near[rows[:, None] == candidates] = -np.inf
    best = candidates[np.argsort(-near, axis=1, kind="stable")[:, :n]]
    hits = [[name_of.get(int(other)) == of[word] for other in others] for word, others in zip(words, best)]
    return float(np.mean(hits))

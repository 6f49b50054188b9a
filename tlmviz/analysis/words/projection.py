"""Many vectors in a plane: by their principal axes, exactly, or by t-SNE, which keeps who is near whom and little
else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.extras import require

from .nearness import unit

PERPLEXITY = 30.0  # about how many neighbours t-SNE keeps near; scikit-learn's default
ROUNDS = 500  # of t-SNE's descent, half of scikit-learn's default: the picture changes little after


@dataclass(frozen=True)
class Axes:
    """Orthonormal directions of a space about a point: `axes` [A, C], `mean` [C]; `share` [A] of all variance on
    each."""

    axes: Float[np.ndarray, "a c"]
    mean: Float[np.ndarray, " c"]
    share: Float[np.ndarray, " a"]

    def place(self, vectors: Float[Tensor, "n c"]) -> Float[np.ndarray, "n a"]:
        """Coordinates of any vectors on the axes, [N, A], in float64."""
        return (vectors.double().numpy() - self.mean) @ self.axes.T


def principal_axes(vectors: Float[Tensor, "n c"], count: int = 2) -> Axes:
    """The `count` directions on which the vectors differ the most (PCA), largest first, about their mean; in float64.

    The sign of an axis is free: its largest entry is made positive, so that the same vectors give the same picture.
    """
    rows = vectors.double()
    mean = rows.mean(0)
    centred = rows - mean
    variance, directions = torch.linalg.eigh(centred.T @ centred / len(rows))
    axes = directions.T.flip(0)[:count].numpy()
    largest = np.take_along_axis(axes, np.abs(axes).argmax(1)[:, None], 1)
    total = max(float(variance.sum()), 1e-300)
    return Axes(axes * np.sign(largest), mean.numpy(), variance.flip(0)[:count].clamp(min=0).numpy() / total)


def tsne(vectors: Float[Tensor, "n c"], seed: int = 0, rounds: int = ROUNDS) -> Float[np.ndarray, "n 2"]:
    """t-SNE of the vectors' directions (van der Maaten and Hinton 2008, by scikit-learn), begun from their principal
    axes.

    Distances are between unit vectors, so that near means a large cosine. Four vectors at least; raises ValueError for
    fewer.
    """
    require("sklearn", "app", "t-SNE")
    from sklearn.manifold import TSNE  # late: it takes half a second to import
    from threadpoolctl import threadpool_limits

    if len(vectors) < 4:
        raise ValueError(f"{len(vectors)} vectors are too few for t-SNE; give at least 4.")
    rows = unit(vectors).numpy()
    near = min(PERPLEXITY, (len(rows) - 1) / 3)
    with threadpool_limits(1):
        method = TSNE(perplexity=near, init="pca", random_state=seed, max_iter=rounds)
        return method.fit_transform(rows)


def plane_of(
    a: Float[Tensor, " c"], b: Float[Tensor, " c"], c: Float[Tensor, " c"]
) -> tuple[Float[np.ndarray, "2 c"], Float[np.ndarray, " c"]]:
    """Two orthonormal directions [2, C] of the plane through three points, the first along b - a, and its origin a [C].

    b - a + c lies in that plane. Where the points are on a line, the second direction is any that is orthogonal.
    """
    one, two, three = (point.double().numpy() for point in (a, b, c))
    along, other = two - one, three - one
    # QR of the three columns, the last one a stand-in where the others leave a direction open.
    spare = np.eye(len(one))[:, np.argsort(np.abs(along) + np.abs(other))[:2]]
    q, r = np.linalg.qr(np.column_stack([along, other, spare]))
    return np.stack([_first(q, r, 0), _first(q, r, 1)]), one


def _first(q: np.ndarray, r: np.ndarray, place: int) -> np.ndarray:
    """The direction in `place`, turned so that it points along what it was made from."""
    return q[:, place] * (np.sign(r[place, place]) or 1.0)

"""Vectors that move, seen in a plane: the two leading principal axes, turned so that pictures follow one another
smoothly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float


def leading_axes(vectors: Float[np.ndarray, "n c"], beside: Float[np.ndarray, "2 c"] | None = None) -> np.ndarray:
    """The two leading principal axes [2, C], turned within their plane to be nearest to the axes `beside`
    (Procrustes)."""
    _, _, axes = np.linalg.svd(vectors - vectors.mean(0), full_matrices=False)
    axes = axes[:2]
    if len(axes) < 2:  # a single direction: the second axis is any other
        axes = np.concatenate([axes, np.zeros((2 - len(axes), vectors.shape[1]), axes.dtype)])
    if beside is None:
        return axes
    left, _, right = np.linalg.svd(beside @ axes.T)
    return (left @ right) @ axes


def places(pictures: Sequence[Float[np.ndarray, "n c"]]) -> Float[np.ndarray, "s n 2"]:
    """Every picture on the last one's axes, about the last one's mean; the axes are turned picture by picture."""
    axes = None
    for picture in pictures[1:] or pictures:
        axes = leading_axes(picture, axes)
    mean = pictures[-1].mean(0)
    return np.stack([(picture - mean) @ np.asarray(axes).T for picture in pictures])

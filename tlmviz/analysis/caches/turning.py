"""One head's product of W_Q and W_K' with RoPE between them, at a few distances, as it is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from . import projections

CORNER = 64  # rows and columns that are drawn of a product for each distance


@dataclass(frozen=True)
class Turning:
    """The product at some `distances`, [N, C, E] with at most CORNER rows and columns of the `whole`.

    `moved` [M] and `missed` as `projections.turning` gives them.
    """

    matrices: Float[np.ndarray, "n c e"]
    whole: tuple[int, int]
    distances: list[int]
    moved: Float[np.ndarray, " m"]
    missed: float

    def label(self, product: str) -> str:
        """The product with the part of it that is drawn."""
        corner = self.matrices.shape[1:]
        if corner == self.whole:
            return product
        return "{}, first {} × {} of {} × {}".format(product, *corner, *self.whole)


def turned(lm: LanguageModelLike, trace: Trace, layer: int, head: int) -> Turning:
    """One head's product under RoPE at distances 0, 1, 2, 4 ... of the model's context."""
    heads, length = projections.heads_of(lm, trace, layer), lm.config.context
    distances = [0, *(2**power for power in range(length.bit_length()) if 2**power < length)]
    base = lm.config.positions.rope_base
    matrices = projections.turned_products(heads, head, distances, base).float().numpy()
    corner = np.ascontiguousarray(matrices[:, :CORNER, :CORNER])
    moved, missed = projections.turning(heads, head, length, base)
    return Turning(corner, matrices.shape[1:], distances, moved.float().numpy(), missed)

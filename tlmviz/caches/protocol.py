"""Where a model keeps the keys and values of positions it has already read (003 section 4).

A cache is passed to `forward`, never stored on a module. Every kind answers the same two questions: where do the
next tokens stand, and what do these queries see?

Rotated keys (003 section 4.2, option A) are stored as RoPE turned them. Unrotated ones (option B) are turned again
whenever they are read, at more cost, so that another scale can apply to the whole past.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor

from .. import kernels
from ..tracing.trace import AttentionSpec

Rotate = Callable[[Tensor, Tensor], Tensor]  # keys [B, G, S, D] and where they stand, [S] or [B, S]


@runtime_checkable
class KVCache(Protocol):
    """What a network needs of a cache."""

    rotated: bool  # whether keys come in turned by RoPE

    @property
    def length(self) -> int:
        """Positions every layer has read."""

    @property
    def nbytes(self) -> int:
        """Bytes really allocated for keys and values."""

    def position_ids(self, count: int) -> Int[Tensor, " t"] | Int[Tensor, "b t"]:
        """Where the next `count` tokens stand: shared, or one line for each row of the batch."""

    def attend(
        self,
        layer: int,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b g t d"],
        v: Float[Tensor, "b g t e"],
        spec: AttentionSpec,
        rotate: Rotate,
    ) -> tuple[Float[Tensor, "b h t e"], Float[Tensor, "b h t"]]:
        """Add new positions to one layer; returns what the new queries read from all of it, and their lse.

        `rotate` turns keys to where they stand; only a cache of unrotated keys calls it.
        """


@runtime_checkable
class BranchingCache(KVCache, Protocol):
    """A KVCache whose rows a search may copy, drop and continue in two ways."""

    def reorder(self, rows: Int[Tensor, " r"]) -> None:
        """Row i becomes a copy of the former row `rows[i]`."""

    def fork(self) -> BranchingCache:
        """Another cache of the same past, to be reordered before it is added to."""


def attend(q: Tensor, k: Tensor, v: Tensor, spec: AttentionSpec) -> tuple[Tensor, Tensor]:
    """What the last T of S positions read, [B, H, T, E], and their lse: one query by the decoding kernel."""
    kernel = kernels.attention if q.shape[2] > 1 else kernels.decode_attention
    return kernel(q, k, v, spec.mask, scale=spec.scale)

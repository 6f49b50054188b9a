"""What caches with a buffer per layer share: sizes, and rows that are copied, dropped and branched."""

from __future__ import annotations

from copy import copy
from typing import TypeVar

from jaxtyping import Int
from torch import Tensor

Cache = TypeVar("Cache", bound="Buffers")


class Buffers:
    """Tensors [B, G, capacity, size] per layer, and how many positions each layer has read."""

    def __init__(self, n_layers: int, rotated: bool):
        self.rotated = rotated
        self._buffers: list[tuple[Tensor, ...] | None] = [None] * n_layers
        self._lengths = [0] * n_layers

    @property
    def length(self) -> int:
        return self._lengths[-1]

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for parts in self._buffers if parts for part in parts)

    def reorder(self, rows: Int[Tensor, " r"]) -> None:
        """Row i becomes a copy of the former row `rows[i]`: how beams that live on take their past with them."""
        self._buffers = [
            parts and tuple(part.index_select(0, rows.to(part.device)) for part in parts) for parts in self._buffers
        ]

    def fork(self: Cache) -> Cache:
        """Another cache of the same past. Buffers are shared, so `reorder` it, which makes it new ones, before it is
        added to."""
        twin = copy(self)
        twin._buffers, twin._lengths = list(self._buffers), list(self._lengths)
        return twin

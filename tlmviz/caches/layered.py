"""A cache for each layer, where layers differ in what they see."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..tracing.trace import AttentionSpec
from .protocol import BranchingCache, Rotate


class LayeredCache:
    """One cache of a single layer for each layer: a ring under a window, everything elsewhere (Gemma 2 and 3).

    All read the same tokens. `rotated` is what its members say.
    """

    def __init__(self, members: Sequence[BranchingCache]):
        self.members = tuple(members)
        self.rotated = self.members[0].rotated

    @property
    def length(self) -> int:
        return self.members[-1].length

    @property
    def nbytes(self) -> int:
        return sum(member.nbytes for member in self.members)

    def position_ids(self, count: int) -> Int[Tensor, " t"]:
        return torch.arange(self.length, self.length + count)

    def attend(
        self,
        layer: int,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b g t d"],
        v: Float[Tensor, "b g t e"],
        spec: AttentionSpec,
        rotate: Rotate,
    ) -> tuple[Tensor, Tensor]:
        return self.members[layer].attend(0, q, k, v, spec, rotate)

    def reorder(self, rows: Int[Tensor, " r"]) -> None:
        """Row i becomes a copy of the former row `rows[i]`, in every layer."""
        for member in self.members:
            member.reorder(rows)

    def fork(self) -> LayeredCache:
        """Another cache of the same past, to be reordered before it is added to."""
        return LayeredCache([member.fork() for member in self.members])

"""An additive bias that only the distance from query to key decides, without its T x S cells."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..errors import BadShape


@dataclass(frozen=True, eq=False)
class DistanceBias:
    """Stands for the tensor [1, H, T, S] whose cell (t, s) is line[:, keys[s] - queries[t] + zero], O(T + S) memory.

    `line` holds a number per head for each signed distance, and `zero` is the index of distance 0 in it. Tiles are made
    when they are asked for, by four slices as of a tensor. It has no gradient. Raises BadShape where the line is too
    short for the positions, or wants a gradient. Source: T5, section 2.1.
    """

    line: Float[Tensor, "h n"]
    zero: int
    queries: Int[Tensor, " t"]
    keys: Int[Tensor, " s"]

    def __post_init__(self) -> None:
        if self.line.requires_grad:
            raise BadShape("A bias by distance has no gradient; detach its line, or give the whole bias as a tensor.")
        if len(self.queries) and len(self.keys):
            first = int(self.keys.min() - self.queries.max()) + self.zero
            last = int(self.keys.max() - self.queries.min()) + self.zero
            if first < 0 or last >= self.line.shape[1]:
                raise BadShape(
                    f"A line of {self.line.shape[1]} numbers with distance 0 at {self.zero} does not reach the "
                    f"distances {first - self.zero} to {last - self.zero}; give a number for each of them."
                )

    @property
    def shape(self) -> torch.Size:
        """[1, H, T, S], of the tensor that it stands for."""
        return torch.Size((1, len(self.line), len(self.queries), len(self.keys)))

    @property
    def ndim(self) -> int:
        """4, as of the tensor that it stands for."""
        return 4

    def __getitem__(self, index: tuple[slice, slice, slice, slice]) -> Tensor:
        """A tile as a tensor [1, H', R, C]."""
        _, heads, rows, cols = index
        cells = self.keys[cols] - self.queries[rows][:, None] + self.zero
        return self.line[heads][:, cells][None]

    def of_heads(self, heads: slice) -> DistanceBias:
        """That of some of the heads."""
        return replace(self, line=self.line[heads])

    def detach(self) -> DistanceBias:
        """Itself: it has no gradient."""
        return self

    def to(self, device: torch.device) -> DistanceBias:
        """The same on a device."""
        return replace(self, line=self.line.to(device), queries=self.queries.to(device), keys=self.keys.to(device))

"""Biases that a model adds to its scores, kept as short as they allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..kernels import DistanceBias


@dataclass(frozen=True, eq=False)
class CallBias:
    """What one call added: `line` [H, N], a number for each distance from `nearest` on; or `cells` [1 or B, H, T, S];
    or nothing.

    H is 1 where all heads are alike. `first` is the position of the first query, `start` that of the first key.
    """

    first: int
    start: int
    queries: int
    line: Tensor | None = None
    cells: Tensor | None = None

    @property
    def adds(self) -> bool:
        """Whether it is more than nothing."""
        return self.line is not None or self.cells is not None

    @property
    def nearest(self) -> int:
        """The distance of the line's first number: from the last query to the first key."""
        return self.start - self.first - (self.queries - 1)


def call_bias(bias: Tensor, first: int, last: int) -> CallBias:
    """A bias [1 or B, H, T, S] of queries from `first` on and keys up to `last`: its line where distance decides it."""
    queries, keys = bias.shape[2:]
    start = last - keys
    if len(bias) > 1 or not torch.equal(bias[:, :, 1:, 1:], bias[:, :, :-1, :-1]):
        return CallBias(first, start, queries, cells=bias)
    # From the farthest key behind to the farthest ahead: up the first column, then along the first row.
    line = torch.cat([bias[0, :, 1:, 0].flip(1), bias[0, :, 0, :]], 1)
    return CallBias(first, start, queries, line=line)


def bias_of(calls: Sequence[CallBias], row: int, queries: Tensor, keys: Tensor) -> Tensor | DistanceBias:
    """The bias of all calls for one row of the batch, of the positions given: by distance if one line fits all
    calls."""
    joined = _joined(calls)
    if joined is not None:
        line, nearest = joined
        return DistanceBias(line, -nearest, queries, keys)
    count = int(keys.max()) + 1
    # What a step had no key for is hidden from it: any number will do.
    parts = [_cells(call, row, count) for call in calls]
    like = max((part for call, part in zip(calls, parts) if call.adds), key=len)
    whole = torch.cat([part.to(like).expand(len(like), -1, -1) for part in parts], 1)
    return whole[:, queries][:, :, keys][None]


def _joined(calls: Sequence[CallBias]) -> tuple[Tensor, int] | None:
    """One line for all calls, from the nearest to the farthest distance of any; None where they disagree."""
    if any(call.line is None for call in calls):
        return None
    lines = [(call.line, call.nearest) for call in calls if call.line is not None]
    low = min(nearest for _, nearest in lines)
    high = max(nearest + line.shape[1] for line, nearest in lines)
    # The distances of any query of one call to any key of another are asked for too, though a mask hides them.
    low, high = min(low, -high), max(high, -low + 1)
    whole = lines[0][0].new_full((len(lines[0][0]), high - low), torch.nan)
    for line, nearest in lines:
        place = whole[:, nearest - low : nearest - low + line.shape[1]]
        known = ~place.isnan()
        if not torch.equal(place[known], line[known]):
            return None
        place.copy_(line)
    return torch.where(whole.isnan(), 0.0, whole), low


def _cells(call: CallBias, row: int, count: int) -> Tensor:
    """The cells [H, T, count] of one call for one row of the batch; 0 where it added nothing."""
    if call.cells is not None:
        cells = call.cells[row if len(call.cells) > 1 else 0]
    elif call.line is None:
        return torch.zeros(1, call.queries, count)
    else:
        query = torch.arange(call.queries, device=call.line.device)
        key = torch.arange(call.line.shape[1] - call.queries + 1, device=call.line.device)
        cells = call.line[:, key - query[:, None] + call.queries - 1]
    return torch.nn.functional.pad(cells, (call.start, count - call.start - cells.shape[-1]))

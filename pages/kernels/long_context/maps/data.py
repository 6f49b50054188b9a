"""Everything that the part Maps shows: losses along the text, all heads' maps, one head's, and an exact tile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from tlmviz.analysis.kernels.long_context import EXACT, Survey
from tlmviz.ui import compute

from .. import data as page
from ..data import OnePass, Passage, Text
from .state import Tile

LARGEST, SMALLEST = 256, 8  # tokens along a tile's side, at most, and at least when dragged


@dataclass(frozen=True)
class Data(OnePass):
    """A text that was read, and the tile that was asked for."""

    found: Text
    asked: Tile
    passage: Passage

    @property
    def length(self) -> int:
        return len(self.passage.ids)

    @property
    def seconds(self) -> float:
        """That the pass took."""
        return page.read(self.passage)[2]

    @property
    def losses(self) -> tuple[float, float]:
        """The mean within the training length, and beyond it; NaN where there are none."""
        inside, outside = self.loss[: self.passage.context - 1], self.loss[self.passage.context - 1 :]
        return tuple(float(part.mean()) if len(part) else float("nan") for part in (inside, outside))  # type: ignore[return-value]

    @property
    def tile(self) -> tuple[int, int, int]:
        """First query, first key and side of the tile that is drawn: the nearest to the one that was asked for."""
        side = min(max(self.asked.side, 1), LARGEST, self.length)
        row, col = (min(max(first, 0), self.length - side) for first in (self.asked.row, self.asked.col))
        return row, col, side

    @property
    def moved(self) -> bool:
        """Whether another tile was asked for, which the text or the page does not have. Nobody asked for a default."""
        asked = (Tile.row, self.asked.row), (Tile.col, self.asked.col), (Tile.side, self.asked.side)
        return any(wish not in (value, field.default) for (field, wish), value in zip(asked, self.tile))

    @property
    def slices(self) -> tuple[slice, slice]:
        """The tile's queries and keys."""
        row, col, side = self.tile
        return slice(row, row + side), slice(col, col + side)

    @property
    def long(self) -> bool:
        """Whether so many tokens have an overview that reads some of the queries only."""
        return self.length > EXACT

    @cached_property
    def weights(self) -> torch.Tensor:
        """Exact probabilities of the tile, [R, C]."""
        watched, (rows, cols) = self.trace, self.slices
        return compute.run_in_worker(lambda: watched.attention(*self.found.head, rows, cols))

    def survey(self, layer: int) -> Survey:
        """One layer's maps and distances."""
        return page.survey(self.passage, layer, self.asked.every and self.long)

    @cached_property
    def surveys(self) -> list[Survey]:
        """Those of every layer."""
        return [self.survey(layer) for layer in range(self.found.lm.config.n_layers)]

    def of_head(self, name: str) -> float:
        """A statistic of the head that is opened."""
        return float(getattr(self.surveys[self.found.head[0]], name)[self.found.head[1]])

    @property
    def picture(self) -> np.ndarray:
        """The head's pooled map."""
        return page.pooled(self.passage, *self.found.head)

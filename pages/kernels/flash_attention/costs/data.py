"""Everything that the part Memory and time shows: the cost of naive and tiled attention, by formulas."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tlmviz.analysis.kernels import roofline
from tlmviz.analysis.kernels.roofline import Cost

from .state import LENGTHS, Costs


@dataclass(frozen=True)
class Data:
    """What the part shows."""

    chosen: Costs

    @cached_property
    def curves(self) -> dict[str, list[Cost]]:
        """Algorithm -> its cost at each of LENGTHS."""
        width, tile = self.chosen.width, self.chosen.tile
        return {
            "naive": [roofline.naive(length, width) for length in LENGTHS],
            "tiled": [roofline.tiled(length, width, *tile) for length in LENGTHS],
        }

    @property
    def costs(self) -> dict[str, Cost]:
        """Algorithm -> its cost at the chosen length."""
        return {name: costs[LENGTHS.index(self.chosen.length)] for name, costs in self.curves.items()}

    @property
    def times(self) -> dict[str, float]:
        """Algorithm -> the least microseconds that it takes on the device."""
        return {name: cost.seconds(self.chosen.device) * 1e6 for name, cost in self.costs.items()}

    @property
    def needed(self) -> float:
        """Bytes on chip that the tile needs."""
        return roofline.on_chip(self.chosen.width, *self.chosen.tile)

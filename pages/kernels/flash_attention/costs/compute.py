"""Everything the part Memory and time computes: the cost of naive and tiled attention. Formulas, too short to cache."""

from __future__ import annotations

from tlmviz.analysis.kernels import roofline
from tlmviz.analysis.kernels.roofline import Cost

from .controls import LENGTHS, CostChoice


def curves(choice: CostChoice) -> dict[str, list[Cost]]:
    """Algorithm -> its cost at each of LENGTHS."""
    return {
        "naive": [roofline.naive(length, choice.width) for length in LENGTHS],
        "tiled": [roofline.tiled(length, choice.width, *choice.tile) for length in LENGTHS],
    }


def at_length(choice: CostChoice, curves: dict[str, list[Cost]]) -> dict[str, Cost]:
    """Algorithm -> its cost at the chosen length."""
    return {name: costs[LENGTHS.index(choice.length)] for name, costs in curves.items()}

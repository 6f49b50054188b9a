"""What only the view Maps computes: exact tiles."""

from __future__ import annotations

import torch

from tlmviz.ui import compute

from ..compute import Passage, trace
from .controls import MapChoice


def tile(passage: Passage, layer: int, head: int, where: MapChoice) -> torch.Tensor:
    """Exact probabilities of a tile, [R, C]."""
    watched = trace(passage)
    return compute.run_in_worker(lambda: watched.attention(layer, head, where.rows, where.cols))

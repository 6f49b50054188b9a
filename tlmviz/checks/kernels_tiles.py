"""Identities of attention in tiles, as the kernel walks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from tlmviz.analysis.kernels import tiling
from tlmviz.analysis.kernels.tiling import Inputs, TileWalk

from ..tracing.trace import Trace
from .cases import is_language_model, reading
from .registry import identity, once

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


def tiles(trace: Trace, layer: int = 0, head: int = 0, rows: int = 8, cols: int = 8) -> tuple[Inputs, TileWalk, Tensor]:
    """(inputs, walk, weights): a head's first positions, their tiles of rows x cols, and the exact weights [T, T]."""
    inputs = tiling.head_inputs(trace, layer, head)
    part = slice(0, len(inputs.q))
    return inputs, tiling.walk(inputs, rows, cols), trace.attention(layer, head, part, part)


def tiled(lm: LanguageModel, text: str) -> tuple[Inputs, TileWalk, Tensor]:
    """(inputs, walk, weights) of the first head. Raises BadText."""
    return tiles(once(reading, lm, text)[1])


@identity(
    "Tiled = full", "tile by tile gives softmax(QK')V", 1e-5, "relative max abs", when=is_language_model, inputs=tiled
)
def tiles_are_attention(inputs: Inputs, walk: TileWalk, weights: Tensor) -> float:
    """The tiles that the kernel walks, added up online, give softmax(QK')V (000 section 4)."""
    return tiling.tiled_against_full(inputs, walk, weights)


@identity("Any order of tiles", "tiles from right to left give the same", 1e-5, when=is_language_model, inputs=tiled)
def order_of_tiles_is_free(inputs: Inputs, walk: TileWalk, weights: Tensor) -> float:
    """Walking the tiles from right to left gives the same output."""
    return tiling.order_of_tiles(inputs, walk)

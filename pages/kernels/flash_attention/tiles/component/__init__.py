"""HBM and SRAM while one head's attention is computed, by the kernel tile by tile and by standard attention, in the browser.

Every step's state is sent once, so that stepping and playing need no server. Standard attention walks beside it: at every step
it has moved as many numbers as the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.analysis.kernels.kernel_source import Line
from tlmviz.analysis.kernels.tile_steps import TileStep, tile_probabilities
from tlmviz.analysis.kernels.tiling import Inputs, TileWalk
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

BYTES = 4  # of a float32

_component = component("tlmviz_flash_memory", Path(__file__).parent)


def payload(
    inputs: Inputs,
    walk: TileWalk,
    weights: np.ndarray,
    steps: Sequence[TileStep],
    code: Sequence[Line],
    tokens: Sequence[str],
    *,
    title: str,
    error: float,
    state: Mapping[str, Any],
) -> bytes:
    """Everything the view shows. `state` holds `step` (None: the first tile that is added) and the `seq` that came with it."""
    length, width = walk.out.shape
    places = {(visit.block, visit.tile): number for number, visit in enumerate(walk.visits)}
    header = {
        "title": title,
        "tokens": list(tokens),
        "length": length,
        "width": width,
        "rows": walk.rows,
        "cols": walk.cols,
        "bytes": BYTES,
        "error": error,
        "steps": [_described(step, places, walk.rows, walk.cols) for step in steps],
        "code": [{"number": line.number, "text": line.code, "when": line.when} for line in code],
        "colors": figures.palette(),
        "state": dict(state),
    }
    arrays = {
        "q": inputs.q,
        "k": inputs.k,
        "v": inputs.v,
        "out": walk.out,
        "weights": weights,
        "p": tile_probabilities(walk, weights),
        "grid": np.stack([step.grid for step in steps]),
        "m": np.stack([step.m_i for step in steps]).astype(np.float32),
        "l": np.stack([step.l_i for step in steps]).astype(np.float32),
        "acc": np.stack([step.acc for step in steps]).astype(np.float32),
    }
    return pack(header, arrays)


def _described(step: TileStep, places: Mapping[tuple[int, int], int], rows: int, cols: int) -> dict[str, Any]:
    """What a step is but for its numbers; `visit` is its tile's place in the walk, -1 at a program's start and end."""
    first, last, begin, end = (int(place) for place in step.box)
    return {
        "program": step.program,
        "rows": [first, last],
        "cols": [begin, end],
        "when": sorted(step.when),
        "stages": list(step.stages),
        "visit": -1 if step.stages[0] in ("start", "finish") else places[first // rows, begin // cols],
        "moved": int(step.moved),
        "words": list(step.words),
    }


def memory_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"step", "seq"} as `place` when it rests."""
    _component(key=key, data=data, on_place_change=on_change)

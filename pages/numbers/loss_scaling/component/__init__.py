"""Gradients by size over a format's range, and every tensor's shares: the scale is dragged and answered in the browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.analysis.numbers.loss_scaling import EDGES, FORMATS, MOST_LOST, SCALES, Counts, limits
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

OUTSIDE = "rest"  # the row of tensors outside the blocks
_IN_BLOCK = re.compile(r"blocks\.(\d+)\.(.+)")

_component = component("tlmviz_loss_scaling", Path(__file__).parent)


def payload(counts: Mapping[str, Counts], **header: Any) -> bytes:
    """What the view begins with: `format`, `k`, `part` (a tensor's name, or "" for all), `what`, `origin` and `picture`."""
    columns: dict[str, int] = {}
    rows = max((int(found[1]) for found in map(_IN_BLOCK.match, counts) if found), default=-1) + 1
    parts, outside = [], 0
    for name, sizes in counts.items():
        found = _IN_BLOCK.match(name)
        if found:
            short = found[2].removesuffix(".weight")
            row, column = int(found[1]), columns.setdefault(short, len(columns))
        else:
            row, column, outside = rows, outside, outside + 1
        shape = {
            "lowest": sizes.lowest,
            "rows": len(sizes.by_size),
            "zeros": sizes.zeros,
            "broken": sizes.broken,
        }
        parts.append({"name": name, "row": row, "column": column, **shape})
    described = [{"key": each.key, "name": each.name, "limits": limits(each)} for each in FORMATS]
    said = {
        "formats": described,
        "scales": [SCALES[0], SCALES[-1]],
        "most_lost": MOST_LOST,
        "columns": len(EDGES) + 1,
        "parts": parts,
        "rows": [*map(str, range(rows)), *([OUTSIDE] if outside else [])],
        "names": [*columns, *[""] * max(0, outside - len(columns))],
        "colors": figures.palette(),
    }
    every = np.concatenate([sizes.by_size.ravel() for sizes in counts.values()])
    # Counts go beyond what 16 bits or a float32 hold.
    halves = {"low": (every & 0xFFFF).astype(np.uint16), "high": (every >> 16).astype(np.uint16)}
    return pack({**header, **said}, halves)


def scaling_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"format", "k", "part", "origin"} as `scale`."""
    _component(key=key, data=data, on_scale_change=on_change)

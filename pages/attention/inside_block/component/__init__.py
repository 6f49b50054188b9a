"""One token's row on its way through a layer, from the embedding to the logits, every step a strip of cells to click on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.analysis.attention.rows import Row
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_block_rows", Path(__file__).parent)


def payload(
    rows: Sequence[Row],
    *,
    title: str,
    step: str,
    cell: int | None,
    opened: Mapping[str, Any] | None,
    sequence: int,
) -> bytes:
    """Everything the view shows: the rows, the chosen step and cell, and that cell `opened` where a product made it."""
    header = {
        "title": title,
        "step": step,
        "cell": -1 if cell is None else cell,
        "opened": None if opened is None else dict(opened),
        "seq": sequence,
        "rows": [
            {
                "name": row.name,
                "what": row.what,
                "inside": row.inside,
                "kind": row.kind,
                "x": row.x,
                "product": row.product,
                "labels": list(row.labels),
            }
            for row in rows
        ],
        "colors": figures.palette(),
    }
    arrays = {}
    for number, row in enumerate(rows):
        arrays[f"values{number}"] = np.asarray(row.values, np.float32)
        arrays[f"places{number}"] = np.asarray(row.places, np.float32)
    return pack(header, arrays)


def rows_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"step", "cell", "seq"} as `place`: a step's name, and its cell or -1."""
    _component(key=key, data=data, on_place_change=on_change)

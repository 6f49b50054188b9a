"""Two texts and the grid of patches between them, drawn in the browser; a click on a cell asks the server what it brings back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_patch", Path(__file__).parent)


def payload(preview: np.ndarray, exact: np.ndarray, **header: Any) -> bytes:
    """What the view shows: two grids [L, N], the exact one NaN where it is not known; the header is that of types.d.ts."""
    rows, columns = preview.shape
    said = {"rows": rows, "columns": columns, "colors": figures.palette(), **header}
    return pack(said, {"preview": preview, "exact": exact})


def patch_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"cell": [layer, column], "origin"} as `cell`."""
    _component(key=key, data=data, on_cell_change=on_change)

"""Tensors as matrices beside each other, drawn in the browser without a chart library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tlmviz import figures
from tlmviz.analysis.attention.matrices import Panel
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_tensors", Path(__file__).parent)


def payload(panels: Sequence[Panel], *, picture: int) -> bytes:
    """What the view shows: the panels, and the number of the picture."""
    drawn = [
        {
            "name": panel.name,
            "detail": " · ".join(filter(None, (panel.shape, panel.note, _ends(panel)))),
            "x": panel.x,
            "y": panel.y,
            "rows": panel.values.shape[0],
            "cols": panel.values.shape[1],
            "row_labels": list(panel.row_labels),
            "col_labels": list(panel.col_labels),
            "probability": panel.kind == "probability",
            "end": panel.end,
        }
        for panel in panels
    ]
    values = {str(i): np.asarray(panel.values, np.float32) for i, panel in enumerate(panels)}
    return pack({"panels": drawn, "picture": picture, "colors": figures.palette()}, values)


def _ends(panel: Panel) -> str:
    return f"colours to {'' if panel.kind == 'probability' else '±'}{panel.end:.2g}"


def tensors_view(data: bytes, *, key: str) -> None:
    """Show the view."""
    _component(key=key, data=data)

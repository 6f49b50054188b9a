"""The load of every expert, as cells of layers x experts, beside what all would have alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout, note
from ..heatmap import colorbar
from ..theme import Theme, scale

SPAN = 2.0  # doublings and halvings of the even share that the colours tell apart
LETTERED = 16  # experts up to which every cell shows its number
ROW, FRAME = 34, 84  # pixels of a layer, and of all else


def cells(load: np.ndarray, even: float) -> dict[str, Any]:
    """Colours and numbers of a heatmap of `load` [L, E] in shares of the tokens: doublings of the `even` share."""
    with np.errstate(divide="ignore"):
        doublings = np.log2(np.asarray(load, np.float64) / even)
    return {
        "z": np.clip(doublings, -SPAN, SPAN).astype(np.float32),
        "text": [[f"{100 * share:.0f}%" for share in row] for row in load],
        "hovertext": [[f"{100 * share:.2f}%" for share in row] for row in load],
    }


def cell_trace(layers: Sequence[int], experts: int, theme: Theme, **more: Any) -> dict[str, Any]:
    """What all heatmaps of loads share: axes, colours and hover."""
    shown = more.get("showscale", True)
    bar: dict[str, Any] = {"tickvals": [-2, -1, 0, 1, 2], "ticktext": ["¼ of even", "½", "even", "2 ×", "4 × even"]}
    return {
        "type": "heatmap",
        "x": np.arange(experts),
        "y": [f"layer {layer}" for layer in layers],
        "zmin": -SPAN,
        "zmax": SPAN,
        "colorscale": scale(theme.diverging),
        "xgap": 2,
        "ygap": 2,
        "texttemplate": "%{text}" if experts <= LETTERED else "",
        "hovertemplate": "%{y}, expert %{x}: %{hovertext} of the tokens<extra></extra>",
        **({"colorbar": colorbar(theme, nticks=None, **bar)} if shown else {}),
        **more,
    }


def load_maps(
    loads: Mapping[str, np.ndarray], layers: Sequence[int], even: float, theme: Theme, *, title: str
) -> go.Figure:
    """Maps [L, E] of the share of the tokens that reach each expert, side by side, each under its name."""
    count = len(loads)
    width = (1 - 0.06 * (count - 1)) / count
    base = layout(theme, title=title, height=FRAME + ROW * len(layers))
    traces, axes, notes = [], {}, []
    for number, (name, load) in enumerate(loads.items(), start=1):
        end = "" if number == 1 else str(number)
        left = (number - 1) * (width + 0.06)
        axes[f"xaxis{end}"] = {
            **base["xaxis"],
            "domain": [left, left + width],
            "anchor": f"y{end}",
            "showgrid": False,
            "zeroline": False,
            "title": {"text": "expert", "font": {"size": 11}, "standoff": 2},
            **({"dtick": 1} if load.shape[1] <= LETTERED else {}),
        }
        axes[f"yaxis{end}"] = {
            **base["yaxis"],
            "anchor": f"x{end}",
            "autorange": "reversed",
            "showticklabels": number == 1,
        }
        place = {"xaxis": f"x{end}", "yaxis": f"y{end}", "showscale": number == count}
        traces.append({**cell_trace(layers, load.shape[1], theme, **place), **cells(load, even)})
        notes.append(note(name, left, 1.0, theme.muted, 12))
    margin = {"l": 8, "r": 8, "t": 54, "b": 8}
    return figure(traces, {**base, **axes, "annotations": notes, "margin": margin})

"""The balance of experts through training: curves over steps, and the loads and biases of a moment, walked by one
slider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..chart import layout, note
from ..heatmap import colorbar
from ..player import animated
from ..theme import HEADS, Theme, scale
from .loads import LETTERED, cell_trace, cells

LEFT, RIGHT = (0.0, 0.4), (0.5, 0.92)  # shares of the width: curves, maps
DASHES = ("solid", "dash", "dot")


@dataclass(frozen=True)
class Moments:
    """One model's routing while it was trained: steps [M], load [M, L, E] in shares of the tokens, bias [M, L, E] or
    None."""

    steps: np.ndarray
    load: np.ndarray
    bias: np.ndarray | None


@dataclass(frozen=True)
class Curve:
    """A quantity over steps, of one model."""

    steps: np.ndarray
    values: np.ndarray


def balance(
    moments: Mapping[str, Moments],
    panels: Mapping[str, Mapping[str, Curve]],
    layers: Sequence[int],
    even: float,
    theme: Theme,
) -> go.Figure:
    """Panels of curves at the left, {title: {model: Curve}}; at the right each model's loads, and biases where it has
    them.

    A slider walks the moments, and a line marks them on the curves.
    """
    steps = np.unique(np.concatenate([each.steps for each in moments.values()]))
    maps = [(name, kind) for name, each in moments.items() for kind in _kinds(each)]
    base = layout(theme, title="", height=max(430, 80 + len(maps) * (58 + 24 * len(layers))))
    traces, axes, notes = _curves(panels, base, theme)
    first, moving = len(traces), []
    frames: list[list[dict[str, Any]]] = [[] for _ in steps]
    for row, (name, kind) in enumerate(maps):
        each, number = moments[name], len(panels) + 1 + row
        share = _share(row, len(maps), 0.13)
        values = [_values(each, kind, _moment(each.steps, step), even) for step in steps]
        moving.append(first + row)
        traces.append({**_map(kind, each, layers, number, row, share, theme), **values[-1]})
        for frame, value in zip(frames, values):
            frame.append({"type": "heatmap", **value})
        axes |= _map_axes(number, share, each.load.shape[2], base)
        notes.append(note(f"<b>{name}</b>: {kind} of each expert", RIGHT[0], share[1] + 0.008, theme.ink, 12))
    cursors = [{"shapes": [_cursor(step, theme)]} for step in steps]
    drawn = {
        **base,
        **axes,
        **cursors[-1],
        "annotations": notes,
        "showlegend": True,
        "margin": {"l": 8, "r": 8, "t": 34, "b": 66},
        "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"},
    }
    labels = [f"{step:,.0f}" for step in steps]
    options: dict[str, Any] = {"prefix": "step ", "stepping": True, "left": 0.22, "layouts": cursors}
    return animated(traces, drawn, frames, labels, moving, len(steps) - 1, theme, **options)


def _kinds(each: Moments) -> list[str]:
    return ["load"] if each.bias is None else ["load", "bias"]


def _moment(steps: np.ndarray, step: float) -> int:
    """The last moment that is not after a step."""
    return max(0, int(np.searchsorted(steps, step, side="right")) - 1)


def _values(each: Moments, kind: str, moment: int, even: float) -> dict[str, Any]:
    if kind == "load":
        return cells(each.load[moment], even)
    assert each.bias is not None  # `_kinds` names it where there is one
    return {"z": np.asarray(each.bias[moment], np.float32)}


def _map(
    kind: str, each: Moments, layers: Sequence[int], number: int, row: int, share: tuple[float, float], theme: Theme
) -> dict[str, Any]:
    """The map of one model on the axes `number`; the first of each kind explains its colours."""
    place = {"xaxis": f"x{number}", "yaxis": f"y{number}", "showscale": row == 0 or kind == "bias"}
    trace = cell_trace(layers, each.load.shape[2], theme, **place)
    bar: dict[str, Any] = {"x": 0.93, "y": share[0], "yanchor": "bottom", "len": share[1] - share[0]}
    if "colorbar" in trace:
        trace["colorbar"] = {**trace["colorbar"], **bar}
    if kind == "load":
        return trace
    assert each.bias is not None
    limit = float(np.abs(each.bias).max()) or 1.0
    return {
        **trace,
        "zmin": -limit,
        "zmax": limit,
        "colorscale": scale(theme.diverging),
        "texttemplate": "%{z:.2f}" if each.load.shape[2] <= LETTERED else "",
        "hovertemplate": "%{y}, expert %{x}: bias %{z:.4f}<extra></extra>",
        "colorbar": colorbar(theme, nticks=None, tickvals=[-limit, 0, limit], tickformat=".2f", **bar),
    }


def _map_axes(number: int, share: tuple[float, float], experts: int, base: dict[str, Any]) -> dict[str, Any]:
    quiet = {"showgrid": False, "zeroline": False, "fixedrange": True}
    return {
        f"xaxis{number}": {
            **base["xaxis"],
            **quiet,
            "domain": list(RIGHT),
            "anchor": f"y{number}",
            **({"dtick": 1} if experts <= LETTERED else {}),
        },
        f"yaxis{number}": {
            **base["yaxis"],
            **quiet,
            "domain": list(share),
            "anchor": f"x{number}",
            "autorange": "reversed",
        },
    }


def _curves(
    panels: Mapping[str, Mapping[str, Curve]], base: dict[str, Any], theme: Theme
) -> tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, Any]]]:
    traces: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    notes = []
    names = list(dict.fromkeys(name for curves in panels.values() for name in curves))
    for number, (title, curves) in enumerate(panels.items(), start=1):
        end = "" if number == 1 else str(number)
        share = _share(number - 1, len(panels), 0.1)
        named = {trace["name"] for trace in traces}  # each model once, also one that only a later panel has
        for name, curve in curves.items():
            color = HEADS[names.index(name) % len(HEADS)]
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": name,
                    "legendgroup": name,
                    "showlegend": name not in named,
                    "x": np.asarray(curve.steps, np.float32),
                    "y": np.asarray(curve.values, np.float32),
                    "line": {"color": color, "width": 1.8, "dash": DASHES[names.index(name) % len(DASHES)]},
                    "xaxis": "x",
                    "yaxis": f"y{end}",
                    "hovertemplate": f"step %{{x:,}}: %{{y:.4g}}<extra>{name}</extra>",
                }
            )
        axes[f"yaxis{end}"] = {**base["yaxis"], "domain": list(share), "anchor": "x", "nticks": 5}
        notes.append(note(title, LEFT[0], share[1] + 0.005, theme.muted, 11))
    bottom = f"y{len(panels)}" if len(panels) > 1 else "y"
    axes["xaxis"] = {**base["xaxis"], "domain": list(LEFT), "anchor": bottom}
    return traces, axes, notes


def _share(row: int, count: int, gap: float) -> tuple[float, float]:
    """Where row `row` of `count` lies in the height, from the top down."""
    size = (0.96 - gap * (count - 1)) / count
    top = 0.96 - row * (size + gap)
    return max(0.0, top - size), top


def _cursor(step: float, theme: Theme) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "x",
        "x0": float(step),
        "x1": float(step),
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": theme.ink, "width": 1.5, "dash": "dot"},
    }

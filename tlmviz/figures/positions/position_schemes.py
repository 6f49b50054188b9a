"""Position schemes side by side: one small picture per scheme on a common grid, and what their trained heads do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, figure, layout, note, scale

if TYPE_CHECKING:
    from tlmviz.analysis.positions.position_schemes import Added

COLUMNS = 3
GAP = (0.055, 0.15)  # between panels, of the figure's width and height
LEAST = 16  # pairs of tokens a mean over a distance is made of, at least
FLOOR = 1e-5  # smallest weight that is drawn
HALF = 0.5  # where distance 0 stands on a logarithmic axis
STEEPEST = -10.0  # a bias at which a weight is gone, e^-10


def added(schemes: Mapping[str, Added], theme: Theme, height: int = 450) -> go.Figure:
    """What each scheme adds or turns, [N, T]: zero has the colour of the page, each picture its own span."""
    panels = []
    for name, one in schemes.items():
        limit = -STEEPEST if one.rows == "head" else float(np.abs(one.values).max()) or 1.0
        span = f"0 to ≤ −{-STEEPEST:g}" if one.rows == "head" else f"±{limit:.2g}"
        heatmap = _heatmap(one.values, np.arange(one.values.shape[1]), np.arange(len(one.values)), limit, theme)
        heatmap["hovertemplate"] = f"{name}: {one.columns} %{{x}}, {one.rows} %{{y}}: %{{z:.4f}}<extra></extra>"
        if not one.rows:
            heatmap["hoverinfo"], heatmap["hovertemplate"] = "skip", None
        words = f"{one.what} ({span})" if one.rows else "only the mask tells order"
        size = len(one.values)
        axes = {"x": {"title": one.columns}, "y": {"title": one.rows, "range": [size - 0.5, -0.5], "nticks": 4}}
        if not one.rows:
            axes = {side: {"showticklabels": False} for side in axes}
        panels.append((name, words, [heatmap], axes))
    return _grid(panels, "What each scheme adds, by position or distance (tokens)", theme, height)


def similar(
    schemes: Mapping[str, tuple[np.ndarray, np.ndarray]], words: Mapping[str, str], theme: Theme, height: int = 450
) -> go.Figure:
    """How alike each scheme makes positions m and n, [n, n] at positions [n], each with a few words on how."""
    panels = []
    for name, (z, where) in schemes.items():
        heatmap = _heatmap(z, where, where, 1.0, theme)
        heatmap["hovertemplate"] = f"{name}: positions %{{y}} and %{{x}}: %{{z:.4f}}<extra></extra>"
        axes = {
            "x": {"title": "position n"},
            "y": {"title": "position m", "range": [where[-1] + 0.5, -0.5], "nticks": 4},
        }
        panels.append((name, words[name], [heatmap], axes))
    return _grid(panels, "How alike positions m and n are (−1 to 1)", theme, height)


def by_distance(schemes: Mapping[str, np.ndarray], head: int, layer: int, theme: Theme, height: int = 450) -> go.Figure:
    """Mean attention by distance of one layer's heads, [H, T] per scheme; one head stands out."""
    panels = []
    for name, weight in schemes.items():
        weight = weight[:, : max(1, weight.shape[1] - LEAST + 1)]
        back = np.arange(weight.shape[1])
        x = np.where(back == 0, HALF, back).astype(np.float32)
        lines = []
        for h in sorted(range(len(weight)), key=lambda h: h == head):  # the chosen one on top
            seen = np.where(weight[h] < FLOOR, np.nan, weight[h]).astype(np.float32)
            lines.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": x,
                    "y": seen,
                    "line": {"color": theme.warm if h == head else theme.accent, "width": 2.6 if h == head else 1.2},
                    "opacity": 1 if h == head else 0.6,
                    "customdata": back,
                    "hovertemplate": f"{name}, L{layer}H{h}: %{{customdata}} back %{{y:.5f}}<extra></extra>",
                }
            )
        ticks = [HALF, *(4**n for n in range(7) if 4**n < len(back))]
        axes = {
            "x": {"type": "log", "title": "tokens back", "tickvals": ticks, "ticktext": ["0", *map(str, ticks[1:])]},
            "y": {"type": "log", "range": [np.log10(FLOOR), 0.1], "dtick": 1, "exponentformat": "power"},
        }
        panels.append((name, "", lines, axes))
    title = f"Mean attention by distance, heads of layer {layer} (probability)"
    return _grid(panels, title, theme, height, grid=True)


def slopes(given: np.ndarray, decay: np.ndarray, theme: Theme, height: int = 330) -> go.Figure:
    """ALiBi's slope of each head, [H], and the decay measured in each layer, [L, H]; what does not fall lies on the
    floor."""
    heads, floor, top = np.arange(len(given)), float(given.min()) / 4, float(given.max())
    line = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "ALiBi's slope",
        "x": heads,
        "y": given.astype(np.float32),
        "line": {"color": theme.ink, "width": 2},
        "marker": {"symbol": "line-ew-open", "size": 22, "color": theme.ink},
        "hovertemplate": "head %{x}: slope %{y:.5f}<extra></extra>",
    }
    marks = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": f"layer {layer}",
            "x": (heads + 0.1 * (layer - len(decay) / 2 + 0.5)),
            "y": np.maximum(measured, floor).astype(np.float32),
            "customdata": measured.astype(np.float32),
            "marker": {"size": 8, "color": HEADS[layer % len(HEADS)], "opacity": 0.85},
            "hovertemplate": f"layer {layer}: %{{customdata:.5f}} nats per token<extra></extra>",
        }
        for layer, measured in enumerate(decay)
    ]
    return figure(
        [line, *marks],
        layout(
            theme,
            title="ALiBi: slope given, decay measured (nats per token)",
            x="head",
            y="",
            height=height,
            showlegend=True,
            legend=_below(),
            xaxis={"tickvals": heads, "showgrid": False, "zeroline": False},
            yaxis={
                "type": "log",
                "exponentformat": "power",
                "dtick": 1,
                "range": [np.log10(floor) - 0.1, np.log10(top) + 0.2],
            },
        ),
    )


def ranked(
    values: Mapping[str, np.ndarray], title: str, unit: str, colors: Mapping[str, str], theme: Theme, height: int = 330
) -> go.Figure:
    """One number per head of each scheme, [L, H], the heads of each in order."""
    lines = []
    for name, value in values.items():
        order = np.argsort(value, axis=None)
        layer, head = np.unravel_index(order, value.shape)
        lines.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": name,
                "x": np.arange(value.size),
                "y": value.ravel()[order].astype(np.float32),
                "line": {"color": colors[name], "width": 1.6},
                "marker": {"size": 5, "color": colors[name]},
                "customdata": [f"{name}, L{i}H{j}" for i, j in zip(layer, head)],
                "hovertemplate": f"%{{customdata}}: %{{y:.4g}} {unit}<extra></extra>",
            }
        )
    return figure(
        lines,
        layout(
            theme,
            title=title,
            x="heads of all layers, in order",
            y="",
            height=height,
            showlegend=True,
            legend=_below(),
            xaxis={"showgrid": False, "zeroline": False},
        ),
    )


def _below() -> dict[str, Any]:
    return {"orientation": "h", "x": 0, "xanchor": "left", "y": -0.22, "yanchor": "top", "font": {"size": 11.5}}


def _heatmap(z: np.ndarray, x: np.ndarray, y: np.ndarray, limit: float, theme: Theme) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": np.asarray(z, np.float32),
        "x": x,
        "y": y,
        "zmin": -limit,
        "zmax": limit,
        "showscale": False,
        "colorscale": scale(theme.diverging),
    }


def _grid(
    panels: Sequence[tuple[str, str, list[dict[str, Any]], dict[str, Any]]],
    title: str,
    theme: Theme,
    height: int,
    grid: bool = False,
) -> go.Figure:
    """Panels (name, words, traces, axes) on a grid of up to COLUMNS, each with its name above it."""
    columns = min(COLUMNS, len(panels)) or 1
    rows = -(-len(panels) // columns) or 1
    width, tall = (1 - GAP[0] * (columns - 1)) / columns, (1 - GAP[1] * rows) / rows
    traces: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    notes = []
    for i, (name, words, drawn, own) in enumerate(panels):
        row, column = divmod(i, columns)
        left, top = column * (width + GAP[0]), 1 - row * (tall + GAP[1]) - 0.4 * GAP[1]
        number = "" if i == 0 else str(i + 1)
        common = {
            "showgrid": grid,
            "gridcolor": theme.grid,
            "zeroline": False,
            "linecolor": theme.grid,
            "mirror": True,
            "showline": True,
            "tickfont": {"size": 10, "color": theme.muted},
            "ticks": "",
            "automargin": True,
        }
        for axis, domain, other in (("x", [left, left + width], "y"), ("y", [top - tall, top], "x")):
            more = dict(own[axis])
            named = {"text": more.pop("title", ""), "font": {"size": 10.5, "color": theme.muted}, "standoff": 2}
            axes[f"{axis}axis{number}"] = {
                **common,
                "domain": domain,
                "anchor": f"{other}{number}",
                "title": named,
                **more,
            }
        traces += [{**trace, "xaxis": f"x{number}", "yaxis": f"y{number}"} for trace in drawn]
        notes.append(
            note(
                f"<b>{name}</b>" + (f" <span style='color:{theme.muted}'>{words}</span>" if words else ""),
                left,
                top,
                theme.ink,
                11.5,
            )
        )
    arranged = layout(theme, title=title, height=height, margin={"l": 8, "r": 8, "t": 28, "b": 4}, annotations=notes)
    del arranged["xaxis"], arranged["yaxis"]
    return figure(traces, {**arranged, **axes})

"""The zoo's choices against their baseline: quality with the noise of seeds, and the cache that each needs."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from . import ACCENT, HEADS, INK, MUTED, WARM, figure, layout

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")


def choices(
    names: list[str], groups: list[str], values: np.ndarray, band: tuple[float, float, float], theme: str, height: int = 430
) -> go.Figure:
    """Held-out bits per byte of every choice, one line each from the baseline; `band` is (low, centre, high) of its seeds.

    Dots are coloured and shaped by group, in the order in which the groups first appear.
    """
    low, centre, high = band
    values, rows = np.asarray(values, np.float64), np.arange(len(names))
    order = list(dict.fromkeys(groups))
    inside, words = (values >= low) & (values <= high), ", within seed noise"
    traces: list[dict] = [{
        "type": "scatter", "mode": "lines", "hoverinfo": "skip", "line": {"color": MUTED[theme], "width": 1},
        "showlegend": False,
        "x": np.stack((np.full(len(values), centre), values, np.full(len(values), np.nan)), 1).ravel(),
        "y": np.repeat(rows, 3).astype(np.float32),
    }]
    for index, group in enumerate(order):
        here = [i for i, name in enumerate(groups) if name == group]
        traces.append({
            "type": "scatter", "x": values[here], "y": rows[here], "mode": "markers", "name": group,
            "marker": {"size": 11, "symbol": SYMBOLS[index % len(SYMBOLS)], "color": HEADS[index % len(HEADS)]},
            "customdata": [
                f"{names[i]}: {values[i]:.4f} bits per byte, {values[i] - centre:+.4f}{words if inside[i] else ''}" for i in here
            ],
            "hovertemplate": "%{customdata}<extra></extra>",
        })
    tall = {"yref": "paper", "y0": 0, "y1": 1}
    shapes = [
        {**tall, "type": "rect", "x0": low, "x1": high, "fillcolor": WARM[theme], "opacity": 0.16, "line": {"width": 0},
         "layer": "below"},
        {**tall, "type": "line", "x0": centre, "x1": centre, "line": {"color": WARM[theme], "width": 1.5}},
    ]
    note = {
        "x": high, "y": 1, "yref": "paper", "xanchor": "left", "yanchor": "bottom", "showarrow": False,
        "text": " seed noise", "font": {"size": 11, "color": WARM[theme]},
    }
    return figure(traces, layout(
        theme, title="Held-out bits per byte, lower is better", x="bits per byte", height=height, shapes=shapes,
        hovermode="closest", annotations=[note], showlegend=True, margin={"l": 8, "r": 16, "t": 60, "b": 8},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.045, "x": 1, "xanchor": "right"},
        yaxis={"tickvals": rows, "ticktext": names, "range": [len(names) - 0.5, -0.5], "showgrid": False, "zeroline": False},
        xaxis={"tickformat": ".3f", "zeroline": False},
    ))


def trade(
    names: list[str], groups: list[str], cache: np.ndarray, values: np.ndarray, band: tuple[float, float], theme: str,
    height: int = 430,
) -> go.Figure:
    """Cache bytes per token against held-out bits per byte; the band is the noise of seeds."""
    cache, values = np.asarray(cache, np.float64), np.asarray(values, np.float64)
    order = list(dict.fromkeys(groups))
    crowded = {size: int((cache == size).sum()) for size in cache}  # their names would lie upon each other: hover tells them
    traces = []
    for index, group in enumerate(order):
        here = np.array([i for i, name in enumerate(groups) if name == group])
        traces.append({
            "type": "scatter", "x": cache[here], "y": values[here], "mode": "markers+text", "name": group,
            "text": [names[i] if crowded[cache[i]] < 3 else "" for i in here], "textposition": "top center",
            "cliponaxis": False,
            "textfont": {"size": 10.5, "color": INK[theme]}, "customdata": [names[i] for i in here],
            "marker": {"size": 10, "symbol": SYMBOLS[index % len(SYMBOLS)], "color": HEADS[index % len(HEADS)]},
            "hovertemplate": "%{customdata}: %{x:,.0f} bytes per token, %{y:.4f} bits per byte<extra></extra>",
        })
    low, high = np.log10([cache.min(), cache.max()]) if len(cache) else (0.0, 1.0)
    pad = 0.12 * (high - low) + 0.08
    rect = {
        "type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": band[0], "y1": band[1], "fillcolor": WARM[theme],
        "opacity": 0.16, "line": {"width": 0}, "layer": "below",
    }
    return figure(traces, layout(
        theme, title="What the cache keeps against what the model knows", x="cache bytes per token, all layers (float32)",
        y="bits per byte", height=height, shapes=[rect], hovermode="closest", colorway=[ACCENT[theme]],
        xaxis={"type": "log", "range": [low - pad, high + pad], "tickvals": sorted(set(cache)), "tickformat": ","},
        yaxis={"tickformat": ".3f", "zeroline": False},
    ))

"""Pictures of the page GloVe: ratios of two words, counts and their fit, the weight of a count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, colorbar, figure, layout, number, rooted, scale, token_label, token_labels

FIXED = {"fixedrange": True, "zeroline": False}
PLAIN = {**FIXED, "showgrid": False, "automargin": False}
LEAST = 10.0  # ratio up to which the axis goes at least, either way
WRITTEN = 12  # words up to which counts are written into the cells
BINS = 70


def ratio_bars(
    probes: Sequence[str],
    ratios: np.ndarray,
    fitted: np.ndarray | None,
    theme: Theme,
    *,
    title: str,
    names: tuple[str, str],
    height: int = 330,
) -> go.Figure:
    """P(k | i) / P(k | j) of each probe [K] on a logarithmic axis, bars from 1; what a model makes of them as points.

    Ratios of 0 and infinity reach the axis's end and say so; a probe that neither word met has no bar.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log10(np.asarray(ratios, np.float64))
    finite = logs[np.isfinite(logs)]
    points = np.array([]) if fitted is None else np.log10(fitted)
    end = max(np.log10(LEAST), np.abs(finite).max(initial=0), np.abs(points).max(initial=0)) * 1.25
    traces = [_bars(probes, ratios, np.clip(logs, -end, end), np.isfinite(logs), theme)]
    if fitted is not None:
        traces.append(_points(probes, fitted, theme))
    whole = np.arange(-np.floor(end), np.floor(end) + 1)
    one, other = (token_label(name, 12) for name in names)
    return figure(
        traces,
        layout(
            theme,
            title=title,
            y=f"← “{other}”   “{one}” →",
            height=height,
            hovermode="closest",
            legend={"orientation": "h", "y": -0.16, "x": 0, "font": {"color": theme.muted, "size": 11}},
            showlegend=fitted is not None,
            xaxis={
                **PLAIN,
                "tickvals": list(range(len(probes))),
                "ticktext": [token_label(probe, 10) for probe in probes],
            },
            yaxis={
                **FIXED,
                "range": [-end, end],
                "zeroline": True,
                "zerolinecolor": theme.muted,
                "tickvals": whole.tolist(),
                "ticktext": [number(10.0**value, "g") for value in whole],
            },
        ),
    )


def _bars(
    probes: Sequence[str], ratios: np.ndarray, ends: np.ndarray, finite: np.ndarray, theme: Theme
) -> dict[str, Any]:
    """Bars from a ratio of 1 to their `ends`, pale where they are not `finite`."""
    heights = np.nan_to_num(ends)
    return {
        "type": "bar",
        "x": np.arange(len(probes), dtype=np.float32),
        "y": heights.astype(np.float32),
        "marker": {
            "color": [theme.accent if value > 0 else theme.warm for value in heights],
            "opacity": [1.0 if whole else 0.45 for whole in finite],
        },
        "text": [number(float(ratio), ".3g") if ratio == ratio else "never met" for ratio in ratios],
        "textposition": "outside",  # dots of the fit lie on the bars
        "cliponaxis": False,
        "textangle": 0,
        "customdata": token_labels(list(probes), 18),
        "name": "counted",
        "hovertemplate": "“%{customdata}”: ratio %{text}<extra></extra>",
    }


def _points(probes: Sequence[str], fitted: np.ndarray, theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": np.arange(len(probes), dtype=np.float32),
        "y": np.log10(fitted).astype(np.float32),
        "marker": {"symbol": "diamond", "size": 9, "color": theme.page, "line": {"color": theme.ink, "width": 2}},
        "text": [number(float(value), ".3g") for value in fitted],
        "customdata": token_labels(list(probes), 18),
        "name": "fitted by the vectors",
        "hovertemplate": "“%{customdata}”: the vectors give %{text}<extra></extra>",
    }


def count_map(
    counts: np.ndarray, words: Sequence[str], theme: Theme, *, title: str, most: float, height: int = 380
) -> go.Figure:
    """Counts [N, N] of words that meet, coloured up to `most` by the logarithm of 1 + 10 x; 0 is empty."""
    values = np.asarray(counts, np.float64)
    names = token_labels(list(words), 18)
    cells = {
        "type": "heatmap",
        "z": np.log1p(10 * values).astype(np.float32),
        "zmin": 0,
        "zmax": float(np.log1p(10 * most)) or 1.0,
        "xgap": 1,
        "ygap": 1,
        "colorscale": scale(theme.sequential),
        "showscale": False,
        "text": [[number(float(x), ".3g") if x else "" for x in row] for row in values],
        "texttemplate": "%{text}" if len(words) <= WRITTEN else "",
        "textfont": {"size": 10},
        "customdata": [
            [[row, col, number(float(x), ".4g")] for col, x in zip(names, line)] for row, line in zip(names, values)
        ],
        "hovertemplate": "“%{customdata[0]}” and “%{customdata[1]}”: %{customdata[2]}<extra></extra>",
    }
    ticks = {
        "tickvals": list(range(len(words))),
        "ticktext": [token_label(word, 10) for word in words],
        "tickfont": {"size": 11, "color": theme.muted},
    }
    return figure(
        [cells],
        layout(
            theme,
            title=title,
            height=height,
            margin={"l": 72, "r": 4, "t": 34, "b": 66},
            hovermode="closest",
            xaxis={**PLAIN, **ticks, "tickangle": -50},
            yaxis={**PLAIN, **ticks, "range": [len(words) - 0.5, -0.5]},
        ),
    )


def weight_curve(
    x_max: float,
    alpha: float,
    counts: Sequence[float],
    names: Sequence[str],
    theme: Theme,
    *,
    title: str,
    height: int = 340,
) -> go.Figure:
    """f(x) = min(1, (x / x_max)^alpha) with some counts as points."""
    own = np.asarray(counts, np.float64)
    x = np.linspace(0, 2 * x_max, 201)
    shown = np.minimum(own, 2 * x_max)
    curve = {
        "type": "scatter",
        "mode": "lines",
        "x": x.astype(np.float32),
        "y": (np.minimum(1, x / x_max) ** alpha).astype(np.float32),
        "line": {"color": theme.accent, "width": 2},
        "hovertemplate": "x = %{x:.2f}: f = %{y:.3f}<extra></extra>",
    }
    points = {
        "type": "scatter",
        "mode": "markers",
        "x": shown.astype(np.float32),
        "y": (np.minimum(1, own / x_max) ** alpha).astype(np.float32),
        "marker": {"color": theme.warm, "size": 7},
        "customdata": [[token_label(name, 40), number(float(value), ".4g")] for name, value in zip(names, own)],
        "hovertemplate": "%{customdata[0]}: x = %{customdata[1]}, f = %{y:.3f}<extra></extra>",
    }
    return figure(
        [curve, points],
        layout(
            theme,
            title=title,
            x=f"count x (those beyond {2 * x_max:g} at the edge)",
            y="weight f",
            height=height,
            showlegend=False,
            hovermode="closest",
            xaxis={**FIXED, "range": [-0.02 * x_max, 2.05 * x_max]},
            yaxis={**FIXED, "range": [-0.03, 1.1]},
        ),
    )


def fit_density(
    log_x: np.ndarray, value: np.ndarray, weight: np.ndarray, theme: Theme, *, title: str, height: int = 340
) -> go.Figure:
    """All cells, log X across and the model's value up, as a map of their summed weights; a line where both are
    equal."""
    low, high = float(min(log_x.min(), value.min())), float(max(log_x.max(), value.max()))
    sums, across, up = np.histogram2d(log_x, value, BINS, [[low, high], [low, high]], weights=weight)
    middles = [(edges[1:] + edges[:-1]) / 2 for edges in (across, up)]
    share = (sums / max(sums.sum(), 1e-12)).T
    cells = {
        "type": "heatmap",
        "x": middles[0].astype(np.float32),
        "y": middles[1].astype(np.float32),
        "z": share.astype(np.float32),
        "colorscale": rooted(theme.sequential),
        "colorbar": colorbar(theme, thickness=6, size=9, xpad=4, tickformat=".1%"),
        "hovertemplate": "log X %{x:.2f}, fitted %{y:.2f}: %{z:.3%} of the weight<extra></extra>",
    }
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": [low, high],
        "y": [low, high],
        "line": {"color": theme.warm, "width": 1.5, "dash": "dash"},
        "hoverinfo": "skip",
    }
    return figure(
        [cells, line],
        layout(
            theme,
            title=title,
            x="log X, counted",
            y="w·w̃ + b + b̃",
            height=height,
            showlegend=False,
            hovermode="closest",
            xaxis={**FIXED, "range": [low, high]},
            yaxis={**FIXED, "range": [low, high]},
        ),
    )

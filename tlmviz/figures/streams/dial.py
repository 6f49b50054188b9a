"""Sinkhorn-Knopp as one figure: the matrix with its sums, the residual against its theoretical rate, the gain over
depth."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, figure, layout, scale

SOUND = 1e-13  # residuals above this are hardly rounded
MOST = 7  # rows up to which entries are written


def dial(
    matrix: np.ndarray,
    residual: np.ndarray,
    rate: float,
    at: float,
    theme: Theme,
    *,
    gains: np.ndarray | None = None,
    title: str = "",
) -> go.Figure:
    """A matrix [N, N] after `at` iterations; the residual after 0, 1, ... iterations [K + 1], with the line on which it
    is multiplied by `rate` each time (none for NaN and 0); and the forward and backward gain of a product over depth [K
    + 1, 2], where there is one, from the first iteration on.
    """
    drawn = layout(theme, title=title, height=360, showlegend=True, margin={"l": 8, "r": 8, "t": 64, "b": 8})
    end, n = (0.28 if gains is not None else 0.38), len(matrix)
    ticks = {"tickvals": [*range(n)], "ticktext": [*map(str, range(1, n + 1))]}
    still = {"showgrid": False, "zeroline": False, "side": "top", **ticks}
    drawn["xaxis"] |= {
        **still,
        "domain": [0, end],
        "range": [-0.5, n + 0.5],
        "constrain": "domain",
        "title": {"text": ""},
    }
    drawn["yaxis"] |= {**still, "range": [n + 0.5, -0.5], "scaleanchor": "x", "constrain": "domain", "side": "left"}
    traces = [*_matrix(matrix, theme), *_residual(residual, rate, theme)]
    panels = [(end + 0.12, 0.62 if gains is not None else 1.0, "distance of a sum from 1")]
    if gains is not None:
        panels.append((0.74, 1.0, "gain of the product"))
        # Unscaled matrices can be anything, and would set the scale.
        kept = np.vstack((np.full((1, 2), np.nan), gains[1:]))
        traces += [_curve(kept[:, side], name, HEADS[2 + side], 3) for side, name in enumerate(("forward", "backward"))]
    for number, (left, right, unit) in enumerate(panels, 2):
        common = {name: drawn["xaxis"][name] for name in ("tickfont", "gridcolor", "automargin")} | {"zeroline": False}
        drawn[f"xaxis{number}"] = {
            **common,
            "title": {"text": "iterations"},
            "domain": [left, right],
            "anchor": f"y{number}",
        }
        drawn[f"yaxis{number}"] = {**common, "title": {"text": unit}, "anchor": f"x{number}"}
    drawn["yaxis2"] |= {"type": "log", "exponentformat": "power", "dtick": max(1, _decades(residual) // 7)}
    drawn["shapes"] = [_now(at, number, theme) for number in range(2, 2 + len(panels))]
    return figure(traces, drawn)


def _matrix(matrix: np.ndarray, theme: Theme) -> list[dict[str, Any]]:
    n = len(matrix)
    text = np.vectorize(lambda value: f"{value:.3f}")
    cells = {
        "type": "heatmap",
        "z": np.asarray(matrix, np.float32),
        "zmin": 0,
        "zmax": 1,
        "colorscale": scale(theme.sequential),
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "row %{y}, column %{x}: %{z:.6f}<extra></extra>",
    }
    if n <= MOST:
        cells |= {"text": text(matrix), "texttemplate": "%{text}"}
    ends, rows, columns = np.arange(n, dtype=np.float32), matrix.sum(1), matrix.sum(0)
    sums = {
        "type": "scatter",
        "mode": "text",
        "showlegend": False,
        "hoverinfo": "text",
        "x": np.append(np.full(n, n, np.float32), ends),
        "y": np.append(ends, np.full(n, n, np.float32)),
        "hovertext": [*(f"row sum {value:.9f}" for value in rows), *(f"column sum {value:.9f}" for value in columns)],
        "text": [*text(rows), *text(columns)] if n <= MOST else [""] * (2 * n),
    }
    return [cells, sums]


def _residual(residual: np.ndarray, rate: float, theme: Theme) -> list[dict[str, Any]]:
    """The residual, and the straight line of its rate through the last value that rounding leaves alone."""
    residual = np.asarray(residual, np.float64)
    drawn = [_curve(np.where(residual > 0, residual, np.nan), "residual", HEADS[0], 2)]
    sound = np.flatnonzero(residual > SOUND)
    if rate > 0 and len(sound):
        steps = np.arange(len(residual)) - sound[-1]
        line = residual[sound[-1]] * rate ** steps.astype(np.float64)
        line[(line > 10 * residual.max()) | (line < 1e-17)] = np.nan
        dashed = {"mode": "lines", "line": {"color": theme.ink, "dash": "dash"}}
        drawn.append(_curve(line, f"σ₂² = {rate:.3f}", theme.ink, 2) | dashed)
    return drawn


def _decades(residual: np.ndarray) -> int:
    seen = np.log10(residual[residual > 0]) if (residual > 0).any() else np.zeros(1)
    return int(seen.max() - seen.min())


def _curve(values: np.ndarray, name: str, color: str, axis: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "y": np.asarray(values, np.float64),
        "name": name,
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "line": {"color": color, "width": 1.5},
        "marker": {"size": 4, "color": color},
        "hovertemplate": f"%{{x}} iterations: {name} %{{y:.6g}}<extra></extra>",
    }


def _now(at: float, axis: int, theme: Theme) -> dict[str, Any]:
    ends = {"xref": f"x{axis}", "yref": f"y{axis} domain", "x0": at, "x1": at, "y0": 0, "y1": 1}
    return {"type": "line", **ends, "line": {"color": theme.ink, "width": 1.5}}

"""Recurrent attention in numbers: scores before the softmax, weights, the mixture of states, entropy, and the scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, colorbar, figure, layout, scale, token_label, token_labels

FIXED = {"fixedrange": True, "zeroline": False}
NAMED = 44  # tokens that are still named along an axis


def scores_and_weights(
    scores: np.ndarray, weights: np.ndarray, source: list[str], theme: Theme, *, title: str, height: int = 330
) -> go.Figure:
    """Scores [S] before the softmax above the weights [S] that they become."""
    where = np.arange(len(source), dtype=np.float32)
    bars = {"type": "bar", "x": where, "customdata": token_labels(source, 18), "width": 0.8}
    top = {
        **bars,
        "y": np.asarray(scores, np.float32),
        "yaxis": "y2",
        "marker": {"color": theme.muted},
        "hovertemplate": "“%{customdata}”: score %{y:.5f}<extra></extra>",
    }
    below = {
        **bars,
        "y": np.asarray(weights, np.float32),
        "marker": {"color": theme.accent},
        "hovertemplate": "“%{customdata}”: weight %{y:.6f}<extra></extra>",
    }
    return figure(
        [below, top],
        layout(
            theme,
            title=title,
            height=height,
            margin={"l": 52, "r": 8, "t": 34, "b": 70},
            xaxis={**FIXED, **_tokens(source), "showgrid": False, "anchor": "y", "automargin": False},
            yaxis={
                **FIXED,
                "domain": [0, 0.48],
                "range": [0, 1.02],
                "nticks": 4,
                "title": {"text": "weight", "font": {"size": 11}},
            },
            yaxis2={
                "domain": [0.54, 1],
                "fixedrange": True,
                "zeroline": True,
                "zerolinecolor": theme.muted,
                "gridcolor": theme.grid,
                "nticks": 5,
                "tickfont": {"size": 11, "color": theme.muted},
                "anchor": "x",
                "title": {"text": "score", "font": {"size": 11}},
            },
        ),
    )


def mixture(
    shares: np.ndarray, context: np.ndarray, source: list[str], theme: Theme, *, title: str, height: int = 330
) -> go.Figure:
    """What every source state brings, [S, D], above their sum c [D]. Dimensions are ordered by c, so that its pattern
    shows."""
    order, size = np.argsort(context), len(source)
    values = np.full((size + 2, len(context)), np.nan, np.float32)  # an empty row sets c apart
    values[:size], values[-1] = np.asarray(shares)[:, order], np.asarray(context)[order]
    names = [*token_labels(source), "", "c"]
    rows = np.arange(size + 2, dtype=np.float32)
    limit = float(np.nanmax(np.abs(values), initial=0)) or 1.0  # what one state brings may be more than is left of all
    cells = {
        "type": "heatmap",
        "z": values,
        "y": rows,
        "zmin": -limit,
        "zmax": limit,
        "colorscale": scale(theme.diverging),
        "hoverongaps": False,
        "customdata": np.tile(order.astype(np.int32), (size + 2, 1)),
        "text": [[name] * len(order) for name in names],
        "hovertemplate": "%{text}, dimension %{customdata}: %{z:.5f}<extra></extra>",
        "colorbar": colorbar(theme, thickness=6, size=9, xpad=4),
    }
    shown = [*range(0, size, -(-size // NAMED)), size + 1]
    return figure(
        [cells],
        layout(
            theme,
            title=title,
            x=f"{len(order)} dimensions, ordered by c",
            height=height,
            margin={"l": 84, "r": 4, "t": 34, "b": 40},
            hovermode="closest",
            xaxis={**FIXED, "showgrid": False, "showticklabels": False, "automargin": False},
            yaxis={
                **FIXED,
                "showgrid": False,
                "range": [size + 1.5, -0.5],
                "tickvals": shown,
                "automargin": False,
                "ticktext": [token_label(names[i], 11) for i in shown],
            },
        ),
    )


def entropy_lines(
    bits: dict[str, np.ndarray], tokens: dict[str, list[str]], size: int, theme: Theme, height: int = 280
) -> go.Figure:
    """Bits of each step's weights [T], a line per model; dotted: all `size` source tokens alike."""
    lines = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": np.arange(1, 1 + len(values)),
            "y": np.asarray(values, np.float32),
            "name": name,
            "line": {"width": 2, "color": color},
            "marker": {"symbol": symbol, "size": 8},
            "customdata": token_labels(tokens[name], 18),
            "hovertemplate": "step %{x}, “%{customdata}”: %{y:.4f} bits<extra>" + name + "</extra>",
        }
        for (name, values), color, symbol in zip(bits.items(), HEADS, ("circle", "square", "diamond", "x") * 2)
    ]
    return figure(
        lines,
        layout(
            theme,
            title="Entropy of each step's weights (bits; dotted: uniform)",
            x="step",
            y="bits",
            height=height,
            shapes=[_rule(float(np.log2(max(1, size))), theme.muted)],
            showlegend=True,
            legend={"orientation": "h", "x": 0, "y": -0.28, "yanchor": "top"},
            margin={"l": 8, "r": 8, "t": 34, "b": 60},
            xaxis={**FIXED},
            yaxis={**FIXED, "range": [0, 1.08 * float(np.log2(max(2, size)))]},
        ),
    )


def same_twice(context: np.ndarray, attended: np.ndarray, theme: Theme, height: int = 280) -> go.Figure:
    """The model's context [D] as a line, and what SDPA computes as points on it; dimensions ordered by value."""
    order = np.argsort(context)
    where = np.arange(len(order), dtype=np.float32)
    few = slice(None, None, max(1, len(order) // 64))
    drawn = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "c in the model",
            "line": {"color": theme.accent, "width": 3},
            "x": where,
            "y": np.asarray(context, np.float32)[order],
            "customdata": order,
            "hovertemplate": "dimension %{customdata}: %{y:.6f}<extra>model</extra>",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "name": "kernels.attention",
            "marker": {"color": theme.warm, "size": 6},
            "x": where[few],
            "y": np.asarray(attended, np.float32)[order][few],
            "customdata": order[few],
            "hovertemplate": "dimension %{customdata}: %{y:.6f}<extra>attention</extra>",
        },
    ]
    return figure(
        drawn,
        layout(
            theme,
            title="One context vector, computed twice (value)",
            x="dimensions, ordered by value",
            y="value",
            height=height,
            showlegend=True,
            legend={"orientation": "h", "x": 0, "y": -0.24, "yanchor": "top"},
            margin={"l": 8, "r": 8, "t": 34, "b": 60},
            xaxis={**FIXED, "showticklabels": False, "showgrid": False},
            yaxis={**FIXED},
        ),
    )


def scale_curve(
    scales: np.ndarray,
    bits: np.ndarray,
    marks: dict[str, tuple[float, float]],
    size: int,
    theme: Theme,
    height: int = 280,
) -> go.Figure:
    """Mean entropy [n] of softmax(scale · score) against the scale; `marks` names points on the curve (scale, bits)."""
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": np.asarray(scales, np.float32),
        "y": np.asarray(bits, np.float32),
        "line": {"color": theme.accent, "width": 2.5},
        "hovertemplate": "scale %{x:.4f}: %{y:.4f} bits<extra></extra>",
    }
    points = {
        "type": "scatter",
        "mode": "markers+text",
        "x": np.array([x for x, _ in marks.values()], np.float32),
        "y": np.array([y for _, y in marks.values()], np.float32),
        "text": list(marks),
        "textposition": ["top right", "bottom left"][: len(marks)],
        "marker": {"size": 11, "color": theme.warm},
        "cliponaxis": False,
        "hovertemplate": "%{text}: scale %{x:.4f}, %{y:.4f} bits<extra></extra>",
    }
    return figure(
        [line, points],
        layout(
            theme,
            title="Mean entropy against the scale of scores (bits)",
            x="scale (logarithmic)",
            y="bits",
            height=height,
            shapes=[_rule(float(np.log2(max(1, size))), theme.muted)],
            margin={"l": 8, "r": 8, "t": 34, "b": 40},
            xaxis={**FIXED, "type": "log", "tickvals": [0.01, 0.03, 0.1, 0.3, 1, 3, 10]},
            yaxis={**FIXED, "range": [0, 1.1 * float(np.log2(max(2, size)))]},
        ),
    )


def _tokens(names: list[str]) -> dict[str, Any]:
    step = -(-len(names) // NAMED)
    return {
        "tickvals": np.arange(0, len(names), step),
        "ticktext": token_labels(names[::step], 11),
        "tickangle": -45,
        "range": [-0.6, len(names) - 0.4],
    }


def _rule(at: float, color: str) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": at,
        "y1": at,
        "line": {"color": color, "width": 1.5, "dash": "dot"},
    }

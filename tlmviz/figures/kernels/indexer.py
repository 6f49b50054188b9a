"""The lightning indexer: its scores beside the true map, what it chooses, what that covers and costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, figure, layout, scale, token_axis, token_labels
from tlmviz.figures.written import number

# One colour and name for each way of choosing keys, the same in every figure.
NAMES = {
    "indexer": "indexer",
    "attention": "most attention mass",
    "recent": "most recent",
    "random": "random",
    "dense": "dense",
}

# A legend in a line of its own: beside the title it would cover it on a phone.
BELOW_TITLE: dict[str, Any] = {
    "margin": {"l": 8, "r": 8, "t": 54, "b": 8},
    "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "xanchor": "left"},
}


def weight_map(
    values: np.ndarray,
    cell: float,
    title: str,
    theme: Theme,
    *,
    limit: float,
    position: int,
    what: str = "probability",
    height: int = 300,
) -> go.Figure:
    """A pooled [N, N] map of queries by keys, NaN where hidden; one row and column stands for `cell` tokens.

    `limit` ends the colours; a line marks the query `position`.
    """
    starts = np.asarray(np.arange(len(values)) * cell, np.float32)
    heatmap = dict(
        type="heatmap",
        z=np.asarray(values, np.float32),
        x=starts,
        y=starts,
        zmin=0,
        zmax=limit or 1.0,
        hoverongaps=False,
        colorscale=scale(theme.sequential),
        showscale=False,
        hovertemplate=f"query %{{y:.0f}}, key %{{x:.0f}}: %{{z:.4f}}<extra>{what}</extra>",
    )
    end = float(starts[-1] + cell / 2)
    mark = {
        "type": "line",
        "xref": "x domain",
        "x0": 0,
        "x1": 1,
        "y0": position,
        "y1": position,
        "line": {"color": theme.warm, "width": 1, "dash": "dot"},
    }
    plain = {"showgrid": False, "zeroline": False, "nticks": 6}
    return figure(
        [heatmap],
        layout(
            theme,
            title=title,
            x="key",
            y="query",
            height=height,
            shapes=[mark],
            plot_bgcolor=theme.missing,
            xaxis={**plain, "range": [-cell / 2, end]},
            yaxis={**plain, "range": [end, -cell / 2]},
        ),
    )


def chosen_row(tokens: list[str], mass: np.ndarray, chosen: np.ndarray, theme: Theme) -> go.Figure:
    """One query's true attention over its keys, [S] probabilities; chosen keys in colour, the others grey."""
    labels = token_labels(tokens)
    where, picked = np.arange(len(mass)), np.asarray(chosen, bool)
    bars = [
        dict(
            type="bar",
            x=where[here],
            y=np.asarray(mass, np.float32)[here],
            name=name,
            marker={"color": color, "line": {"width": 0}},
            customdata=[labels[i] for i in where[here]],
            hovertemplate="%{x} %{customdata}: %{y:.5f}<extra>" + name + "</extra>",
        )
        for name, here, color in (("chosen", picked, theme.accent), ("left out", ~picked, theme.muted))
    ]
    covered = float(np.asarray(mass, np.float64)[picked].sum())
    return figure(
        bars,
        layout(
            theme,
            title=f"Query “{labels[-1]}”: {picked.sum()} of {len(mass)} keys, {covered:.1%} of the mass",
            y="probability",
            height=300,
            barmode="overlay",
            bargap=0.15,
            showlegend=True,
            xaxis=token_axis(labels, 40),
            **BELOW_TITLE,
        ),
    )


def recall_curves(
    curves: dict[str, np.ndarray], layer_curve: np.ndarray, layer: int, k: int, theme: Theme
) -> go.Figure:
    """Share of attention mass covered against k, [T] per way of choosing (mean over layers) and for one layer's
    indexer."""
    lines = [
        _line(f"{NAMES[name]}, all layers", curve, colors(theme)[name], 2.5 if name == "indexer" else 1.5)
        for name, curve in curves.items()
    ]
    lines.append(_line(f"indexer, layer {layer}", layer_curve, colors(theme)["indexer"], 1.5, "dot"))
    mark = {
        "type": "line",
        "x0": k,
        "x1": k,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": theme.muted, "width": 1.5, "dash": "dot"},
    }
    return figure(
        lines,
        layout(
            theme,
            title="Recall: attention mass on the k chosen keys",
            x="k, keys per query",
            y="share of the mass",
            height=320,
            xaxis={"type": "log", "dtick": float(np.log10(2))},
            yaxis={"range": [0, 1.02], "tickformat": ".0%"},
            shapes=[mark],
            showlegend=True,
            legend={"x": 1, "xanchor": "right", "y": 0.02, "yanchor": "bottom", "font": {"size": 10}},
        ),
    )


def losses(values: dict[str, float], k: int, theme: Theme) -> go.Figure:
    """Mean next-token loss of dense attention and of k keys per query, one bar per way of choosing."""
    names = list(values)
    numbers = np.array([values[name] for name in names], np.float32)
    change = numbers - numbers[names.index("dense")]
    text = [
        f"{x:.3f}" + ("" if name == "dense" else f" ({number(d, '+.3f')})")
        for name, x, d in zip(names, numbers, change)
    ]
    bars = dict(
        type="bar",
        x=numbers,
        y=np.arange(len(names)),
        orientation="h",
        marker={"color": [colors(theme)[name] for name in names]},
        text=text,
        textposition="outside",
        cliponaxis=False,
        customdata=[NAMES[name] for name in names],
        hovertemplate="%{customdata}: %{x:.5f} nats<extra></extra>",
    )
    return figure(
        [bars],
        layout(
            theme,
            title=f"Loss with {k} keys per query (nats per token)",
            x="nats",
            height=320,
            xaxis={"range": [0, float(numbers.max()) * 1.8], "nticks": 5},
            yaxis={
                "tickvals": np.arange(len(names)),
                "ticktext": [NAMES[name] for name in names],
                "autorange": "reversed",
                "showgrid": False,
            },
        ),
    )


def value_histograms(before: np.ndarray, after: np.ndarray, name: str, theme: Theme, bins: int = 61) -> go.Figure:
    """How often each value of q or k occurs before and after the rotation, as shares on a log axis."""
    before, after = np.asarray(before, np.float64), np.asarray(after, np.float64)
    limit = max(float(np.abs(before).max()), float(np.abs(after).max())) or 1.0
    edges = np.linspace(-limit, limit, bins + 1)
    lines = []
    for label, values, color in (("before", before, theme.muted), ("after U", after, theme.accent)):
        share = np.histogram(values, edges)[0] / len(values)
        lines.append(
            dict(
                type="scatter",
                x=(edges[1:] + edges[:-1]) / 2,
                y=np.where(share > 0, share, np.nan).astype(np.float32),
                mode="lines",
                line={"color": color, "width": 2, "shape": "hvh"},
                name=label,
                hovertemplate="%{x:.2f}: %{y:.2%}<extra>" + label + "</extra>",
            )
        )
    return figure(
        lines,
        layout(
            theme,
            title=f"Values of {name} (share, log)",
            x="value",
            y="share of values",
            height=290,
            showlegend=True,
            **BELOW_TITLE,
            yaxis={"type": "log", "dtick": 1, "tickformat": ".0e"},
        ),
    )


def colors(theme: Theme) -> dict[str, str]:
    """The colour of each way of choosing keys."""
    return {
        "indexer": theme.accent,
        "attention": HEADS[2],
        "recent": HEADS[1],
        "random": HEADS[3],
        "dense": theme.muted,
    }


def _line(name: str, curve: np.ndarray, color: str, width: float, dash: str = "solid") -> dict[str, Any]:
    k = np.arange(1, len(curve) + 1)
    return dict(
        type="scatter",
        x=k,
        y=np.asarray(curve, np.float32),
        mode="lines",
        name=name,
        line={"color": color, "width": width, "dash": dash},
        hovertemplate="k = %{x}: %{y:.2%}<extra>" + name + "</extra>",
    )

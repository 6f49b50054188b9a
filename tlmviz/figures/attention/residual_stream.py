"""The residual stream: its length, who wrote a logit, and what the head reads at each depth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, colorbar, figure, layout, row_frame, scale, token_label, token_labels
from tlmviz.figures.written import number

PARTS = 26  # names of parts that fit below a chart


def norms(labels: list[str], values: np.ndarray, position: int, token: str, theme: Theme) -> go.Figure:
    """Length of the stream vector after each sublayer: one token's, and the mean of all, [N, T]."""
    values, where = np.asarray(values, np.float32), np.arange(len(labels))
    lines = [
        dict(
            type="scatter",
            x=where,
            y=line,
            mode="lines+markers",
            name=name,
            customdata=labels,
            line={"color": color, "width": 2},
            marker={"size": 5},
            hovertemplate="after %{customdata}: ‖x‖ = %{y:.3f}<extra></extra>",
        )
        for name, line, color in (
            ("mean of all tokens", values.mean(1), theme.muted),
            (f"“{token_label(token)}”", values[:, position], theme.accent),
        )
    ]
    return figure(
        lines,
        layout(
            theme,
            title="Length of the stream after each sublayer, ‖x‖",
            y="‖x‖",
            showlegend=True,
            legend={"x": 0.01, "xanchor": "left", "y": 0.99, "yanchor": "top"},
            xaxis=_parts(labels),
            yaxis={"rangemode": "tozero"},
        ),
    )


def shares(parts: list[str], values: np.ndarray, token: str, theme: Theme) -> go.Figure:
    """What the embedding and each sublayer add to one token's logit, [N], and their sum."""
    values = np.asarray(values, np.float32)
    bars = dict(
        type="bar",
        x=np.arange(len(parts)),
        y=values,
        customdata=parts,
        marker={"color": np.where(values >= 0, theme.accent, theme.warm)},
        hovertemplate="%{customdata}: %{y:+.4f}<extra></extra>",
    )
    title = f"Who wrote the logit of “{token_label(token)}” ({number(float(values.sum()), '+.2f')})"
    return figure([bars], layout(theme, title=title, y="share of the logit", xaxis=_parts(parts)))


def _parts(labels: list[str]) -> dict[str, Any]:
    """An axis of parts; of many, one in so many is named."""
    every = -(-len(labels) // PARTS)
    return {
        "tickvals": np.arange(0, len(labels), every),
        "ticktext": labels[::every],
        "tickangle": -60,
        "showgrid": False,
        "zeroline": False,
    }


MANY = 16  # columns of a grid of tokens, beyond which they are narrow
LETTERS = ((8, 12), (MANY, 6), (math.inf, 4))  # up to so many columns -> letters of a token in a cell


def words(
    texts: list[list[str]],
    probabilities: np.ndarray,
    theme: Theme,
    *,
    title: str,
    columns: list[str],
    rows: list[str],
    y: str,
    marked: int | None = None,
) -> go.Figure:
    """A grid of tokens coloured by probability, [R, N] each, cut to what a cell holds; `marked` frames one row."""
    p = np.asarray(probabilities, np.float32)
    count, width = p.shape
    letters = next(letters for columns, letters in LETTERS if width <= columns)
    heatmap = dict(
        type="heatmap",
        z=p,
        x=np.arange(width),
        y=np.arange(count),
        zmin=0,
        zmax=1,
        colorscale=scale(theme.sequential),
        xgap=1,
        ygap=1,
        text=[token_labels(row, letters) for row in texts],
        customdata=[token_labels(row, 40) for row in texts],
        texttemplate="%{text}",
        textfont={"size": 11 if width <= MANY else 10},
        hovertemplate="%{customdata}: probability %{z:.5f}<extra></extra>",
        colorbar=colorbar(theme, nticks=None, tickformat=".0%", xpad=2, ypad=0),
    )
    frames = [] if marked is None else [row_frame((marked - 0.5, marked + 0.5), theme.warm, 2)]
    plain = {"showgrid": False, "zeroline": False}
    return figure(
        [heatmap],
        layout(
            theme,
            title=title,
            y=y,
            height=76 + 21 * count,
            shapes=frames,
            margin={"l": 8, "r": 8, "t": 58, "b": 8},
            xaxis={**plain, "tickvals": np.arange(width), "ticktext": columns, "side": "top"},
            yaxis={**plain, "tickvals": np.arange(count), "ticktext": token_labels(rows), "range": [count - 0.5, -0.5]},
        ),
    )

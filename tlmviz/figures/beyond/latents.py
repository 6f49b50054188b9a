"""How well a latent array reads digits, what latent reading costs beside self-attention, and two kinds of latents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout
from ..theme import HEADS, Theme, scale


def crowded(right: Mapping[int, np.ndarray], theme: Theme, *, title: str) -> go.Figure:
    """Share read right, [9], in pictures of one to nine digits, a line for each number of latents."""
    lines = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": f"M = {latents}",
            "x": list(range(1, len(shares) + 1)),
            "y": np.asarray(shares, np.float32),
            "line": {"color": color, "width": 2},
            "hovertemplate": f"{latents} latents, %{{x}} digits: %{{y:.1%}} read right<extra></extra>",
        }
        for (latents, shares), color in zip(right.items(), HEADS)
    ]
    return figure(
        lines,
        layout(
            theme,
            title=title,
            x="digits in the picture",
            y="share read right",
            height=320,
            showlegend=True,
            xaxis={"dtick": 1},
            yaxis={"range": [0, 1.05], "tickformat": ".0%"},
        ),
    )


def muting(right: np.ndarray, places: Sequence[str], theme: Theme, *, title: str) -> go.Figure:
    """Share read right, [latents, cells], with each latent muted alone."""
    trace = {
        "type": "heatmap",
        "z": right.astype(np.float32),
        "x": list(range(len(places))),
        "zmin": 0,
        "zmax": 1,
        "colorscale": scale(theme.sequential),
        "colorbar": {"title": {"text": "read right"}, "thickness": 10, "tickformat": ".0%"},
        "xgap": 1,
        "ygap": 1,
        "customdata": np.tile(np.array(places), (len(right), 1)),
        "hovertemplate": "latent %{y} muted, %{customdata}: %{z:.0%} read right<extra></extra>",
    }
    return figure(
        [trace],
        layout(
            theme,
            title=title,
            x="cell",
            y="muted latent",
            height=320,
            xaxis={"tickvals": list(range(len(places))), "ticktext": list(places), "showgrid": False, "tickangle": -40},
            yaxis={"dtick": 1, "showgrid": False, "autorange": "reversed"},
        ),
    )


def times(
    inputs: Sequence[int],
    among: Sequence[float],
    by_latents: Mapping[int, Sequence[float]],
    theme: Theme,
    *,
    title: str,
) -> go.Figure:
    """Milliseconds by the number of inputs: among themselves, and read by some numbers of latents. Both axes are
    logarithmic."""
    lines = {"self-attention": among} | {f"{number} latents": each for number, each in by_latents.items()}
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": list(inputs),
            "y": list(values),
            "line": {"color": color, "width": 2},
            "hovertemplate": f"{name}, %{{x:,}} inputs: %{{y:.3f}} ms<extra></extra>",
        }
        for (name, values), color in zip(lines.items(), HEADS)
    ]
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="inputs, N",
            y="milliseconds",
            height=300,
            showlegend=True,
            xaxis={"type": "log", "tickvals": list(inputs), "ticktext": [f"{each:,}" for each in inputs]},
            yaxis={"type": "log", "dtick": 1},
        ),
    )


def before_and_after(
    before: np.ndarray, after: np.ndarray, names: tuple[str, str], theme: Theme, *, title: str
) -> go.Figure:
    """Two matrices, [N, C] and [M, D], beside one another, cells of one size, each in shares of its largest
    magnitude."""
    gap = max(4, before.shape[1] // 10)
    rows, columns = max(len(before), len(after)), before.shape[1] + gap + after.shape[1]
    cells = np.full((rows, columns), np.nan, np.float32)
    cells[: len(before), : before.shape[1]] = before / np.abs(before).max()
    cells[: len(after), before.shape[1] + gap :] = after / np.abs(after).max()
    trace = {
        "type": "heatmap",
        "z": cells,
        "zmin": -1,
        "zmax": 1,
        "colorscale": scale(theme.diverging),
        "colorbar": {
            "title": {"text": "of the largest"},
            "thickness": 10,
            "tickvals": [-1, 0, 1],
            "ticktext": ["−1", "0", "1"],
        },
        "hoverongaps": False,
        "hovertemplate": "row %{y}: %{z:.2f}<extra></extra>",
    }
    heads = [
        {
            "x": middle,
            "y": -0.5,
            "yanchor": "bottom",
            "text": name,
            "showarrow": False,
            "font": {"size": 11, "color": theme.ink},
        }
        for name, middle in zip(names, (before.shape[1] / 2, before.shape[1] + gap + after.shape[1] / 2))
    ]
    hidden = {"showgrid": False, "zeroline": False, "showticklabels": False}
    return figure(
        [trace],
        layout(
            theme,
            title=title,
            x="numbers of a row",
            y="rows",
            height=340,
            annotations=heads,
            xaxis=hidden,
            yaxis={**hidden, "range": [rows - 0.5, -max(2.5, rows / 12)]},
        ),
    )

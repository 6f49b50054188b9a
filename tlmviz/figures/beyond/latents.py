"""How well a latent array reads digits, what latent reading costs beside self-attention, and two kinds of latents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout
from ..theme import HEADS, Theme, scale
from ..written import number


def confusion(counts: np.ndarray, theme: Theme, *, title: str) -> go.Figure:
    """Digits [10, 10] by what they are (rows) and are read as (columns): mistakes are coloured, what is right is grey."""
    size = len(counts)
    wrong = np.where(np.eye(size, dtype=bool), np.nan, counts).astype(np.float32)
    trace = {
        "type": "heatmap",
        "z": wrong,
        "zmin": 0,
        "zmax": max(1.0, float(np.nanmax(wrong))),
        "colorscale": scale(theme.sequential),
        "customdata": counts,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": True,
        "hovertemplate": "a %{y} read as %{x}: %{customdata}<extra></extra>",
    }
    ink = {"showarrow": False, "font": {"size": 11, "color": theme.muted}}
    right = [{"x": digit, "y": digit, "text": str(counts[digit, digit]), **ink} for digit in range(size)]
    axis = {"tickvals": list(range(size)), "showgrid": False}
    return figure(
        [trace],
        layout(
            theme,
            title=title,
            x="read as",
            y="what it is",
            height=320,
            annotations=right,
            xaxis=axis,
            yaxis={**axis, "autorange": "reversed"},
        ),
    )


def muting(right: Sequence[float], whole: float, theme: Theme, *, title: str) -> go.Figure:
    """Share read right with each latent muted alone, beside that with none muted."""
    bars = {
        "type": "bar",
        "x": list(range(len(right))),
        "y": list(right),
        "marker": {"color": HEADS[0]},
        "hovertemplate": "latent %{x} muted: %{y:.1%} read right<extra></extra>",
    }
    line = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": whole, "y1": whole}
    text = f"none muted: {number(100 * whole, '.1f')}%"
    said = {"xref": "paper", "x": 1, "y": whole, "yanchor": "bottom", "xanchor": "right", "showarrow": False}
    return figure(
        [bars],
        layout(
            theme,
            title=title,
            x="muted latent",
            y="share read right",
            height=320,
            shapes=[line | {"line": {"color": theme.muted, "dash": "dot"}}],
            annotations=[said | {"text": text, "font": {"size": 11, "color": theme.muted}}],
            xaxis={"dtick": 1},
            yaxis={"range": [0, 1.1], "tickformat": ".0%"},
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
    """Milliseconds by the number of inputs: among themselves, and read by some numbers of latents. Both axes are logarithmic."""
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
    before: np.ndarray,
    after: np.ndarray,
    names: tuple[str, str],
    theme: Theme,
    *,
    title: str,
) -> go.Figure:
    """Two matrices, [N, C] and [M, D], beside one another, cells of one size, each in shares of its largest magnitude."""
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
        "colorbar": {"title": {"text": "of the largest"}, "thickness": 10, "tickvals": [-1, 0, 1], "ticktext": ["−1", "0", "1"]},
        "hoverongaps": False,
        "hovertemplate": "row %{y}: %{z:.2f}<extra></extra>",
    }  # fmt: skip
    heads = [
        {"x": middle, "y": -0.5, "yanchor": "bottom", "text": name, "showarrow": False, "font": {"size": 11, "color": theme.ink}}
        for name, middle in zip(names, (before.shape[1] / 2, before.shape[1] + gap + after.shape[1] / 2))
    ]  # fmt: skip
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

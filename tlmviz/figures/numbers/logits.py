"""Pictures of the page Logits: variances against the number of dimensions, spreads, losses, and directions of
embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from tlmviz.figures import Theme, figure, layout, log_ticks, number, points_by, scale, token_axis

FIXED = {"fixedrange": True, "zeroline": False}
BINS = 60
LEGEND = {"orientation": "h", "y": -0.2, "x": 0}


def variance_growth(
    others: np.ndarray, chosen: np.ndarray, before: np.ndarray, theme: Theme, *, name: str, title: str
) -> go.Figure:
    """Variance of a sum of 1, 2, ... D products in multiples of one product's, on logarithmic axes.

    `others` [n, D] are all heads, quiet; `chosen` [D] one of them; `before` [D] the mean head before training. The line
    of independent products, d, is drawn dashed.
    """
    d = np.arange(1, len(chosen) + 1)
    gaps = np.full((len(others), 1), np.nan)
    traces = [
        {
            "type": "scatter",
            "x": np.tile(np.append(d, np.nan), len(others)).astype(np.float32),
            "y": np.hstack([others, gaps]).ravel().astype(np.float32),
            "mode": "lines",
            "line": {"width": 1, "color": theme.muted},
            "opacity": 0.35,
            "hoverinfo": "skip",
            "name": "other heads",
        },
        _line(d, d, theme.muted, "independent: d", dash="dash"),
        _line(d, before, theme.accent, "before training"),
        _line(d, chosen, theme.warm, name, width=3),
    ]
    most = max(float(np.nanmax(others)), float(chosen.max()), float(d[-1]))
    ticks = [2**power for power in range(int(np.log2(most)) + 1)]
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="dimensions d that are summed",
            y="variance of q·k (of one product = 1)",
            height=400,
            showlegend=True,
            legend={**LEGEND, "font": {"color": theme.muted, "size": 11}},
            hovermode="closest",
            xaxis={**FIXED, "type": "log", "tickvals": [t for t in ticks if t <= d[-1]]},
            yaxis={**FIXED, "type": "log", "tickvals": ticks[:: 1 + len(ticks) // 9]},
        ),
    )


def _line(x: ArrayLike, y: ArrayLike, color: str, name: str, width: float = 2, dash: str = "solid") -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": np.asarray(x, np.float32),
        "y": np.asarray(y, np.float32),
        "mode": "lines",
        "line": {"width": width, "color": color, "dash": dash},
        "name": name,
        "hovertemplate": f"{name}<br>%{{x:.4g}}: %{{y:.4g}}<extra></extra>",
    }


def score_histogram(scores: np.ndarray, divisor: float, theme: Theme, *, title: str) -> go.Figure:
    """A head's scores over the pairs it may see, as they are and divided, in shares of the pairs."""
    edges = np.linspace(float(scores.min()), float(scores.max()) + 1e-9, BINS + 1)
    traces = []
    for name, values, color in (
        ("q·k as it is", scores, theme.muted),
        (f"divided by √d = {number(divisor, '.3g')}", scores / divisor, theme.warm),
    ):
        counts, _ = np.histogram(values, edges)
        share = 100 * counts / len(values)
        traces.append(
            {
                "type": "bar",
                "x": ((edges[1:] + edges[:-1]) / 2).astype(np.float32),
                "y": share.astype(np.float32),
                "width": float(edges[1] - edges[0]),
                "marker": {"color": color, "line": {"width": 0}},
                "opacity": 0.6,
                "name": name,
                "hovertemplate": f"{name}<br>about %{{x:.3g}}: %{{y:.2f}}% of the pairs<extra></extra>",
            }
        )
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="score",
            y="share of pairs (%)",
            height=250,
            barmode="overlay",
            bargap=0,
            showlegend=True,
            legend={**LEGEND, "y": -0.34, "font": {"color": theme.muted, "size": 11}},
            xaxis=FIXED,
            yaxis=FIXED,
        ),
    )


def spreads(
    tokens: list[str],
    trained: tuple[np.ndarray, np.ndarray],
    before: tuple[np.ndarray, np.ndarray],
    theme: Theme,
    *,
    title: str,
) -> go.Figure:
    """Standard deviation of each position's logits: measured (solid) and √E·σ·RMS (dashed), of the model and before
    training."""
    x = np.arange(len(tokens))
    traces = [
        _line(x, trained[0], theme.warm, "trained, measured"),
        _line(x, trained[1], theme.warm, "trained, √E·σ·RMS", dash="dash"),
        _line(x, before[0], theme.accent, "before training, measured"),
        _line(x, before[1], theme.accent, "before training, √E·σ·RMS", dash="dash"),
    ]
    for trace in traces:
        trace["customdata"] = tokens
        trace["hovertemplate"] = f"{trace['name']}<br>after %{{customdata}}: %{{y:.3g}}<extra></extra>"
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="the token that was read last",
            y="spread of the logits",
            height=400,
            showlegend=True,
            legend={**LEGEND, "y": -0.32, "font": {"color": theme.muted, "size": 11}},
            xaxis={**FIXED, **token_axis(tokens)},
            yaxis={**FIXED, "rangemode": "tozero"},
        ),
    )


def _free_sides(at: np.ndarray, x: np.ndarray, y: np.ndarray) -> list[str]:
    """On which side of a curve's points names are clear of it: below a valley, above on the side that it comes up
    from."""
    far = 0.05 * float(x[-1] - x[0])
    here, left, right = (np.interp(at + off, x, y) for off in (0.0, -far, far))
    return [
        "bottom center" if min(a, b) > now else "top left" if a < b else "top right"
        for now, a, b in zip(here, left, right)
    ]


def losses(divisors: np.ndarray, bits: np.ndarray, marks: dict[str, float], theme: Theme, *, title: str) -> go.Figure:
    """Loss against what all logits are divided by, with the `marks` named: name -> divisor."""
    at = np.interp(np.log(list(marks.values())), np.log(divisors), bits)
    traces = [
        _line(divisors, bits, theme.accent, "bits per token"),
        {
            "type": "scatter",
            "x": np.array(list(marks.values()), np.float32),
            "y": at.astype(np.float32),
            "mode": "markers+text",
            "text": list(marks),
            "textposition": _free_sides(np.log(list(marks.values())), np.log(divisors), bits),
            "textfont": {"color": theme.ink, "size": 11},
            "marker": {"size": 9, "color": theme.warm},
            "hovertemplate": "%{text}: divided by %{x:.3g}, %{y:.3f} bits<extra></extra>",
            "cliponaxis": False,
        },
    ]
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="all logits divided by",
            y="bits per token",
            height=400,
            showlegend=False,
            xaxis={**FIXED, "type": "log", **log_ticks(divisors)},
            yaxis={**FIXED, "range": [0, 1.12 * float(bits.max())]},
        ),
    )


def directions(points: np.ndarray, names: Sequence[str], numbers: np.ndarray, theme: Theme, *, title: str) -> go.Figure:
    """Embeddings [n, 2] along their two main axes, coloured by the token's `numbers`; the origin as a cross."""
    trace = {
        "type": points_by(len(names)),
        "x": points[:, 0].astype(np.float32),
        "y": points[:, 1].astype(np.float32),
        "mode": "markers",
        "customdata": list(names),
        "hovertemplate": "%{customdata}<extra></extra>",
        "marker": {
            "size": 4,
            "opacity": 0.75,
            "color": numbers.astype(np.float32),
            "colorscale": scale(theme.places),
            "colorbar": {
                "title": {"text": "token<br>number", "font": {"color": theme.muted, "size": 11}},
                "thickness": 10,
                "tickfont": {"color": theme.muted, "size": 10},
            },
        },
    }
    reach = 1.08 * float(np.abs(points).max())
    axis = {**FIXED, "range": [-reach, reach], "zeroline": True, "zerolinecolor": theme.muted, "nticks": 5}
    return figure(
        [trace],
        layout(
            theme,
            title=title,
            x="first main axis",
            y="second main axis",
            height=400,
            hovermode="closest",
            xaxis=axis,
            yaxis=axis,
        ),
    )


def cosines(series: dict[str, np.ndarray], theme: Theme, *, title: str) -> go.Figure:
    """Shares of pairs by their cosine, one line per name; the first is drawn strong."""
    edges = np.linspace(-1, 1, BINS + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    colors = (theme.warm, theme.accent, theme.muted)
    traces = []
    for (name, values), color in zip(series.items(), colors):
        share = 100 * np.histogram(values, edges)[0] / len(values)
        traces.append(_line(middle, share, color, name, width=3 if color == theme.warm else 2))
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="cosine of two tokens' vectors",
            y="share of pairs (%)",
            height=240,
            showlegend=True,
            legend={**LEGEND, "y": -0.36, "font": {"color": theme.muted, "size": 11}},
            xaxis={**FIXED, "range": [-1, 1]},
            yaxis={**FIXED, "rangemode": "tozero"},
        ),
    )


def sorted_shares(series: dict[str, np.ndarray], theme: Theme, *, title: str, y: str) -> go.Figure:
    """Cumulative shares of the variance by main axes, the largest first, in %."""
    colors = (theme.warm, theme.accent, theme.muted)
    traces = [
        _line(np.arange(1, len(values) + 1), 100 * np.cumsum(values), color, name)
        for (name, values), color in zip(series.items(), colors)
    ]
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="main axes, the largest first",
            y=y,
            height=240,
            showlegend=False,
            xaxis={**FIXED, "rangemode": "tozero"},
            yaxis={**FIXED, "range": [0, 102]},
        ),
    )

"""Pictures of the page "From text to pairs": which words stay, one-hot vectors, distances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, colorbar, figure, layout, scale, token_label, token_labels

FIXED = {"fixedrange": True, "zeroline": False}
PLAIN = {**FIXED, "showgrid": False, "automargin": False}
WRITTEN = 10  # words up to which distances are written into the cells


def keep_curve(
    words: Sequence[str], shares: Sequence[float], threshold: float, theme: Theme, *, title: str, height: int = 280
) -> go.Figure:
    """min(1, sqrt(t / f)) over the share f of the text that a word makes up, with some words as points."""
    own = np.asarray(shares, np.float64)
    low, high = min(1e-6, own.min(initial=1e-6)), max(0.1, own.max(initial=0.1))
    f = np.geomspace(low, high, 200)
    curve = {
        "type": "scatter",
        "mode": "lines",
        "x": f.astype(np.float32),
        "y": np.minimum(1, np.sqrt(threshold / f)).astype(np.float32),
        "line": {"color": theme.accent, "width": 2},
        "hovertemplate": "f = %{x:.2%}: stays with %{y:.3f}<extra></extra>",
    }
    points = {
        "type": "scatter",
        "mode": "markers+text",
        "x": own.astype(np.float32),
        "y": np.minimum(1, np.sqrt(threshold / np.maximum(own, 1e-12))).astype(np.float32),
        "text": _sparse([token_label(word, 12) for word in words], own),
        "customdata": token_labels(list(words), 18),
        "textposition": "top center",
        "textfont": {"size": 11, "color": theme.ink},
        "marker": {"color": theme.warm, "size": 7},
        "hovertemplate": "“%{customdata}”, %{x:.3%} of the text: stays with %{y:.3f}<extra></extra>",
    }
    return figure(
        [curve, points],
        layout(
            theme,
            title=title,
            x="share f of the models' text",
            y="probability to stay",
            height=height,
            showlegend=False,
            hovermode="closest",
            xaxis={**FIXED, "type": "log", "tickformat": "~%", "dtick": 1},
            yaxis={**FIXED, "range": [0, 1.14]},
        ),
    )


def _sparse(labels: list[str], shares: np.ndarray) -> list[str]:
    """Labels without those that would be written over another one: only words a third of a decade apart are named."""
    named: list[str] = [""] * len(labels)
    last = np.inf
    for at in np.argsort(-shares, kind="stable"):
        place = np.log10(max(shares[at], 1e-12))
        if last - place > 0.33:
            named[at], last = labels[at], place
    return named


def one_hot_map(words: Sequence[str], theme: Theme, *, title: str, height: int = 340) -> go.Figure:
    """One row a word, 1 at its own place."""
    eye = np.eye(len(words), dtype=np.float32)
    return _map(
        eye, list(words), theme, title, height, 1.0, "“%{customdata[0]}”, place %{x}: %{z:.0f}<extra></extra>", ""
    )


def distance_map(
    distances: np.ndarray, words: Sequence[str], theme: Theme, *, title: str, height: int = 340
) -> go.Figure:
    """Distances [N, N] of vectors of length 1, from 0 to 2."""
    hover = "“%{customdata[0]}” – “%{customdata[1]}”: %{z:.3f}<extra></extra>"
    written = "%{z:.2f}" if len(words) <= WRITTEN else ""
    return _map(np.asarray(distances, np.float32), list(words), theme, title, height, 2.0, hover, written)


def _map(
    z: np.ndarray, words: list[str], theme: Theme, title: str, height: int, most: float, hover: str, written: str
) -> go.Figure:
    names = token_labels(words, 18)
    cells = {
        "type": "heatmap",
        "z": z,
        "zmin": 0,
        "zmax": most,
        "xgap": 1,
        "ygap": 1,
        "colorscale": scale(theme.sequential),
        "customdata": [[[row, col] for col in names] for row in names],
        "texttemplate": written,
        "hovertemplate": hover,
        "colorbar": colorbar(theme, thickness=6, size=9, xpad=4),
    }
    ticks = {"tickvals": list(range(len(words))), "ticktext": [token_label(word, 9) for word in words]}
    return figure(
        [cells],
        layout(
            theme,
            title=title,
            height=height,
            margin={"l": 66, "r": 4, "t": 34, "b": 66},
            hovermode="closest",
            xaxis={**PLAIN, **ticks, "tickangle": -60, "tickfont": {"size": 10, "color": theme.muted}},
            yaxis={**PLAIN, **ticks, "range": [len(words) - 0.5, -0.5], "tickfont": {"size": 10, "color": theme.muted}},
        ),
    )

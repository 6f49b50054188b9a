"""Analogies: the plane through three words with the place that b - a + c points to, and how often the right word is
found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout
from ..theme import HEADS, Theme, faded
from ..tokens import escaped
from ..written import number


def _sides(places: np.ndarray) -> list[str]:
    """The side of each place [N, 2] for its name: away from the place that is nearest to it."""
    apart = np.linalg.norm(places[:, None] - places, axis=-1)
    np.fill_diagonal(apart, np.inf)
    nearest = apart.argmin(1) if len(places) > 1 else np.zeros(len(places), int)
    return ["bottom center" if places[row, 1] < places[other, 1] else "top center" for row, other in enumerate(nearest)]


def parallelogram(
    names: Sequence[str],
    corners: np.ndarray,
    others: Sequence[str],
    places: np.ndarray,
    off: np.ndarray,
    theme: Theme,
    *,
    title: str,
) -> go.Figure:
    """Words a, b and c and the sum b - a + c in the plane they span, and the words nearest to the sum laid into it.

    `off` is how far each of these lies from the plane: nearest first, the first is the answer.
    """
    a, b, c, aim = corners
    arrows = [_arrow(a, b, theme.accent, "solid"), _arrow(c, aim, theme.warm, "solid")]
    dashes = {
        "type": "scatter",
        "mode": "lines",
        "x": [a[0], c[0], None, b[0], aim[0]],
        "y": [a[1], c[1], None, b[1], aim[1]],
        "line": {"color": theme.muted, "width": 1, "dash": "dot"},
        "hoverinfo": "skip",
    }
    near = {
        "type": "scatter",
        "mode": "markers+text",
        "x": places[:, 0].astype(np.float32),
        "y": places[:, 1].astype(np.float32),
        "text": [escaped(name) for name in others],
        "textposition": _sides(places),
        "textfont": {"size": 11, "color": theme.muted},
        "marker": {"size": [11] + [6] * (len(others) - 1), "color": [theme.warm] + [theme.muted] * (len(others) - 1)},
        "customdata": [number(value, ".3f") for value in off],
        "hovertemplate": "%{text}: %{customdata} off this plane<extra></extra>",
    }
    return figure(
        [dashes, near, _corners(names, corners, theme)],
        layout(
            theme,
            title=title,
            x="along the first arrow",
            y="across it",
            height=400,
            yaxis={"scaleanchor": "x"},
            annotations=arrows,
        ),
    )


def _corners(names: Sequence[str], corners: np.ndarray, theme: Theme) -> dict[str, Any]:
    """The three words and, hollow, the sum."""
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": corners[:, 0].astype(np.float32),
        "y": corners[:, 1].astype(np.float32),
        "text": [f"<b>{escaped(name)}</b>" for name in names],
        "textposition": "top center",
        "textfont": {"size": 13, "color": theme.ink},
        "marker": {
            "size": 10,
            "color": [theme.accent] * 3 + [theme.page],
            "line": {"width": 2, "color": [theme.accent] * 3 + [theme.warm]},
        },
        "hovertemplate": "%{text}<extra></extra>",
    }


def _arrow(start: np.ndarray, end: np.ndarray, color: str, dash: str) -> dict[str, Any]:
    return {
        "x": float(end[0]),
        "y": float(end[1]),
        "ax": float(start[0]),
        "ay": float(start[1]),
        "xref": "x",
        "yref": "y",
        "axref": "x",
        "ayref": "y",
        "text": "",
        "showarrow": True,
        "arrowhead": 2,
        "arrowwidth": 2,
        "arrowcolor": color,
        "standoff": 7,
        "startstandoff": 6,
    }


def answers(
    names: Sequence[str], cosines: np.ndarray, theme: Theme, *, title: str, given: Sequence[bool], height: int = 400
) -> go.Figure:
    """The words nearest to the sum, nearest first, and their cosines with it; those of the question are pale."""
    colors = [faded(theme.muted, 0.45) if pale else theme.accent for pale in given]
    bars = {
        "type": "bar",
        "orientation": "h",
        "y": np.arange(len(names)),
        "x": np.asarray(cosines, np.float32),
        "marker": {"color": colors},
        "text": [number(float(value), ".3f") for value in cosines],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{text}<extra></extra>",
    }
    ticks = {
        "tickvals": list(range(len(names))),
        "ticktext": [escaped(f"{name} (given)" if pale else name) for name, pale in zip(names, given)],
        "autorange": "reversed",
    }
    top = max(1.0, float(np.max(cosines, initial=0)))
    return figure(
        [bars],
        layout(
            theme,
            title=title,
            x="cosine",
            height=height,
            xaxis={"range": [min(0.0, float(np.min(cosines, initial=0))), 1.12 * top]},
            yaxis=ticks,
        ),
    )


def solved(shares: Mapping[str, Mapping[str, float]], theme: Theme, *, title: str) -> go.Figure:
    """Shares of analogies solved (0 to 1): a bar for each model, a colour for each way of counting."""
    ways = list(next(iter(shares.values())))
    bars = [
        {
            "type": "bar",
            "name": way,
            "x": list(shares),
            "y": [100 * values[way] for values in shares.values()],
            "marker": {"color": color},
            "text": [number(100 * values[way], ".0f") for values in shares.values()],
            "textposition": "outside",
            "cliponaxis": False,
            "hovertemplate": "%{x}, " + escaped(way) + ": %{y:.1f} %<extra></extra>",
        }
        for way, color in zip(ways, (theme.accent, faded(theme.accent, 0.4), HEADS[1]))
    ]
    return figure(
        bars,
        layout(
            theme,
            title=title,
            y="percent",
            height=300,
            barmode="group",
            showlegend=True,
            yaxis={"range": [0, 100]},
            margin={"l": 8, "r": 8, "t": 60, "b": 8},
        ),
    )

"""A map of vectors: places rounded for the browser, which draws them, and the same as a Plotly figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout
from ..theme import Theme
from ..tokens import escaped
from .groups import Group

STEPS = 65535  # of a coordinate in two bytes
OUTSIDE = 0.2  # percent on each side of each axis that may lie outside the first view: a few lie far from all others


@dataclass(frozen=True)
class Plane:
    """Places [S, N, 2] of N points in S frames as two bytes each, from 0 at `origin` to 65535 a `span` further on both
    axes.

    `box` is what is shown at first, x and y of two corners, in shares of the span.
    """

    places: np.ndarray
    origin: tuple[float, float]
    span: float
    box: tuple[float, float, float, float]

    def share(self, x: float, y: float) -> tuple[float, float]:
        """Any place in shares of the span."""
        return (x - self.origin[0]) / self.span, (y - self.origin[1]) / self.span


def plane(places: np.ndarray) -> Plane:
    """Places of all frames on one scale, the same for both axes; the box holds nearly all points of the last frame."""
    low, high = places.min((0, 1)), places.max((0, 1))
    span = float(max((high - low).max(), 1e-9))
    origin = (low + high) / 2 - span / 2
    shares = (places - origin) / span
    first, last = np.percentile(shares[-1], [OUTSIDE, 100 - OUTSIDE], axis=0)
    margin = 0.08 * (last - first).max() + 1e-3
    box = (*(first - margin).tolist(), *(last + margin).tolist())
    rounded = np.round(np.clip(shares, 0, 1) * STEPS).astype(np.uint16)
    return Plane(rounded, (float(origin[0]), float(origin[1])), span, box)


def scatter(
    places: np.ndarray, names: Sequence[str], groups: Sequence[Group], group_of: np.ndarray, theme: Theme, *, title: str
) -> go.Figure:
    """The map as a figure of points with names on hover, a trace for each group, both axes on one scale."""
    traces = []
    for number, group in enumerate(groups):
        rows = np.flatnonzero(group_of == number)
        traces.append(
            {
                "type": "scattergl",
                "mode": "markers",
                "name": group.name,
                "x": places[rows, 0].astype(np.float32),
                "y": places[rows, 1].astype(np.float32),
                "text": [escaped(names[row]) for row in rows.tolist()],
                "hovertemplate": "%{text}<extra></extra>",
                "marker": {"size": 4, "color": (getattr(group, theme.name) or theme.muted)},
            }
        )
    return figure(
        traces,
        layout(
            theme, title=title, x="first axis", y="second axis", height=520, yaxis={"scaleanchor": "x"}, dragmode="pan"
        ),
    )

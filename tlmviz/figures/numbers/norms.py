"""Pictures of the page Norms and dropout that are charts: what a mean left standing does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, figure, layout

if TYPE_CHECKING:
    from tlmviz.analysis.numbers.norms import Offset

FIXED = {"fixedrange": True, "zeroline": False}
LEGEND = {"orientation": "h", "y": -0.3, "x": 0}


def offsets(found: Mapping[str, Offset], theme: Theme, *, title: str) -> go.Figure:
    """For each norm the error of the product that reads it, without the mean and with one bias in its place, in percent."""
    names = list(found)
    traces = [
        _dots(
            names,
            [100 * each.dropped for each in found.values()],
            theme.muted,
            "mean taken off",
            "circle-open",
        ),
        _dots(
            names,
            [100 * each.fixed for each in found.values()],
            theme.warm,
            "one bias for all tokens",
            "circle",
        ),
        _dots(names, [0.0 for _ in names], theme.accent, "a bias of its own for each token", "diamond"),
    ]
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="norm",
            y="error of the product (%)",
            height=280,
            showlegend=True,
            legend={**LEGEND, "y": -0.55, "font": {"color": theme.muted, "size": 11}},
            xaxis={**FIXED, "type": "category", "tickangle": -35, "nticks": 26},
            yaxis={**FIXED, "rangemode": "tozero"},
        ),
    )


def _dots(x: list[str], y: list[float], color: str, name: str, symbol: str) -> dict:
    return {
        "type": "scatter",
        "x": x,
        "y": np.asarray(y, np.float32),
        "mode": "markers",
        "marker": {"color": color, "size": 8, "symbol": symbol},
        "name": name,
        "hovertemplate": f"%{{x}}, {name}<br>error %{{y:.3g}} %<extra></extra>",
    }

"""How well a pointer network draws hulls of more and more points."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

import plotly.graph_objects as go

from ..chart import figure, layout
from ..theme import HEADS, Theme


def reach(
    numbers: Sequence[int],
    exact: Sequence[float],
    valid: Sequence[float],
    covered: Sequence[float],
    most: int,
    theme: Theme,
    *,
    title: str,
) -> go.Figure:
    """Shares of exact and valid hulls and the area covered, by the number of points; a line at the most that were
    trained on."""
    shares = {"area covered": covered, "valid polygon": valid, "exactly the hull": exact}
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": list(numbers),
            "y": list(values),
            "line": {"color": color, "width": 2},
            "hovertemplate": f"{name}: %{{y:.1%}} of sets of %{{x}} points<extra></extra>"
            if name != "area covered"
            else "%{y:.2%} of the area, %{x} points<extra></extra>",
        }
        for (name, values), color in zip(shares.items(), HEADS)
    ]
    line = {"type": "line", "x0": most, "x1": most, "y0": 0, "y1": 1, "yref": "paper"}
    said = {"x": log10(most) + 0.01, "y": 0.04, "yref": "paper", "xanchor": "left", "showarrow": False}
    said |= {"text": f"trained on up to {most}", "font": {"size": 11, "color": theme.muted}}
    axes = {
        "xaxis": {"type": "log", "tickvals": list(numbers), "ticktext": [str(each) for each in numbers]},
        "yaxis": {"range": [0, 1.04], "tickformat": ".0%"},
    }
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="points",
            y="share",
            height=300,
            showlegend=True,
            shapes=[line | {"line": {"color": theme.muted, "dash": "dot"}}],
            annotations=[said],
            **axes,
        ),
    )

"""What one step of training costs, by method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from ..axes import log_ticks
from ..chart import figure, layout, note
from ..theme import Theme

if TYPE_CHECKING:
    from tlmviz.analysis.words.step_costs import Cost


def step_costs(costs: Sequence[Cost], theme: Theme) -> go.Figure:
    """Multiplications and microseconds of one step by each method, both on logarithmic axes; the times with their
    range."""
    names = [cost.name for cost in costs]
    counted = [cost.multiplications for cost in costs]
    least, most = ([float(pick(cost.microseconds)) for cost in costs] for pick in (min, max))
    bar = {"type": "bar", "orientation": "h", "y": names, "textposition": "auto"}
    traces = [
        {
            **bar,
            "x": counted,
            "marker": {"color": theme.accent},
            "text": [f"{count:,}" for count in counted],
            "hovertemplate": "%{y}: %{x:,} multiplications<extra></extra>",
        },
        {
            **bar,
            "x": least,
            "xaxis": "x2",
            "yaxis": "y2",
            "marker": {"color": theme.warm},
            "error_x": {"array": [b - a for a, b in zip(least, most)], "symmetric": False, "color": theme.ink},
            "text": [f"{a:,.0f} – {b:,.0f} µs" for a, b in zip(least, most)],
            "insidetextanchor": "start",
            "textposition": "inside",
            "hovertemplate": "%{y}: %{text}<extra></extra>",
        },
    ]
    axis = {"type": "log", **log_ticks(np.array([1, *counted])), "range": [0, np.log10(max(counted)) * 1.04]}
    time = {
        **layout(theme, title="")["xaxis"],
        "type": "log",
        **log_ticks(np.array([1, *most])),
        "range": [0, np.log10(max(most)) * 1.04],
    }
    rows = {**layout(theme, title="")["yaxis"], "autorange": "reversed"}
    arranged = layout(
        theme,
        title="One step: multiplications, counted",
        height=190,
        xaxis={**axis, "domain": [0, 0.5], "anchor": "y"},
        yaxis={"autorange": "reversed"},
        xaxis2={**time, "domain": [0.57, 1], "anchor": "y2"},
        yaxis2={**rows, "anchor": "x2", "showticklabels": False},
        annotations=[note("Microseconds, measured", 0.57, 1.02, theme.ink, 13)],
    )
    return figure(traces, arranged)

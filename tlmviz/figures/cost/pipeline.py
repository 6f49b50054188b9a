"""The bubble of pipeline schedules against the number of micro-batches."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout
from ..theme import HEADS, Theme


def bubbles(
    found: Mapping[str, tuple[np.ndarray, np.ndarray]], stages: int, micro: int, theme: Theme, *, chosen: str
) -> go.Figure:
    """{schedule: (m [N], share [N])} as lines, the chosen one thick; dashed (p − 1)/(m + p − 1), dotted the m that is
    shown."""
    counts = np.arange(1, max([micro, *(int(counts[-1]) for counts, _ in found.values())]) + 1)
    formula = {
        "type": "scatter",
        "x": counts,
        "y": 100 * (stages - 1) / (counts + stages - 1),
        "mode": "lines",
        "name": "(p − 1)/(m + p − 1)",
        "line": {"color": theme.muted, "width": 1.5, "dash": "dash"},
        "hovertemplate": "m = %{x}: %{y:.1f}%<extra>(p − 1)/(m + p − 1)</extra>",
    }
    lines = [
        {
            "type": "scatter",
            "x": x,
            "y": 100 * y,
            "mode": "lines+markers",
            "name": name,
            "line": {"color": color, "width": 3 if name == chosen else 1.5},
            "marker": {"size": 6 if name == chosen else 4},
            "hovertemplate": f"m = %{{x}}: %{{y:.1f}}%<extra>{name}</extra>",
        }
        for (name, (x, y)), color in zip(found.items(), HEADS)
    ]
    marker = {
        "type": "line",
        "x0": micro,
        "x1": micro,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": theme.muted, "width": 1.5, "dash": "dot"},
    }
    return figure(
        [*lines, formula],
        layout(
            theme,
            title=f"Bubble against micro-batches, p = {stages} (%)",
            x="micro-batches m",
            y="share of the time (%)",
            height=330,
            shapes=[marker],
            showlegend=True,
            yaxis={"rangemode": "tozero"},
        ),
    )

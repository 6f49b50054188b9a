"""What a model's number of Sinkhorn iterations does to a quantity, as a curve with the chosen number marked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, figure, layout

from .depth import color


def curve(
    counts: Sequence[int], values: Sequence[float], chosen: int, theme: Theme, *, title: str, unit: str
) -> go.Figure:
    """One value for each number of iterations, evenly spaced, as most happens at the first ones."""
    x = [str(count) for count in counts]
    line = {
        "type": "scatter",
        "x": x,
        "y": np.asarray(values, np.float32),
        "mode": "lines+markers",
        "line": {"color": color("manifold", theme), "width": 2},
        "marker": {"size": [13 if count == chosen else 6 for count in counts]},
        "hovertemplate": f"%{{x}} iterations: %{{y:.5g}} {unit}<extra></extra>",
    }
    shown = layout(
        theme,
        title=title,
        x="Sinkhorn iterations that the model makes",
        y=unit,
        height=230,
        xaxis={"type": "category"},
        yaxis={"nticks": 5},
    )
    return figure([line], shown)

"""Pictures of the page Patch: what each patch brings back by its preview and exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, figure, layout


def scatter(preview: np.ndarray, exact: np.ndarray, names: Sequence[str], theme: Theme, *, title: str) -> go.Figure:
    """A point for each patch: exact [n] against preview [n], beside the line on which both agree."""
    ends = np.array([min(preview.min(), exact.min(), 0), max(preview.max(), exact.max(), 1)], np.float32)
    line = {
        "type": "scatter",
        "x": ends,
        "y": ends,
        "mode": "lines",
        "line": {"color": theme.muted, "width": 1, "dash": "dot"},
        "hoverinfo": "skip",
    }
    points = {
        "type": "scatter",
        "x": np.asarray(preview, np.float32),
        "y": np.asarray(exact, np.float32),
        "mode": "markers",
        "marker": {"size": 7, "color": theme.accent, "opacity": 0.7},
        "text": list(names),
        "hovertemplate": "%{text}: preview %{x:.3f}, exact %{y:.3f}<extra></extra>",
    }
    axis = {"zeroline": False}
    return figure(
        [line, points], layout(theme, title=title, x="preview", y="exact", height=320, xaxis=axis, yaxis=axis)
    )

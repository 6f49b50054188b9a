"""Draws the needle test: what the first occurrence gains, by distance and method."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, figure, layout


def gains(
    values: dict[str, np.ndarray], distances: tuple[int, ...], found: float, theme: Theme, height: int = 330
) -> go.Figure:
    """Nats per token gained against distance in tokens, a line a method; a dotted line at what counts as `found`."""
    lines = [
        {
            "type": "scatter",
            "x": np.asarray(distances, np.float32),
            "y": np.asarray(line, np.float32),
            "name": name,
            "mode": "lines+markers",
            "line": {
                "color": theme.ink if place == 0 else HEADS[(place - 1) % len(HEADS)],
                "width": 3 if place == 0 else 1.8,
                "dash": ("solid", "dash", "dot")[max(0, place - 1) // len(HEADS) % 3],
            },
            "hovertemplate": "%{x} tokens: %{y:.3f} nats<extra>" + name + "</extra>",
        }
        for place, (name, line) in enumerate(values.items())
    ]
    drawn = figure(
        lines,
        layout(
            theme,
            title="Needle test: gain (nats per token)",
            x="tokens between the names and their repetition",
            y="gain (nats per token)",
            height=height,
            showlegend=True,
            legend={
                "x": 1,
                "xanchor": "right",
                "y": 1,
                "yanchor": "top",
                "bgcolor": "rgba(0,0,0,0)",
                "font": {"size": 11},
            },
            xaxis={"type": "log", "tickvals": list(distances), "ticktext": [str(d) for d in distances]},
            yaxis={"zeroline": True, "zerolinecolor": theme.grid},
        ),
    )
    drawn.add_hline(y=found, line={"color": theme.muted, "dash": "dot", "width": 1})
    return drawn

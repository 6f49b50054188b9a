"""Pictures of a model's pass in few bits: what it loses token by token, and which matrix costs how much."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, colorbar, figure, layout, scale, tick_text, token_axis

LEAST = 1e-9  # nats: a divergence drawn where there is none


def divergences(
    tokens: Sequence[str], divergence: np.ndarray, gained: np.ndarray, theme: Theme, *, title: str
) -> go.Figure:
    """KL of every prediction along a text [T], in nats, a bar each; `gained` [T]: bits that the token itself costs
    more."""
    return figure(
        [
            {
                "type": "bar",
                "x": np.arange(len(tokens)),
                "y": divergence.astype(np.float32),
                "marker": {"color": theme.accent, "line": {"width": 0}},
                "customdata": np.stack([np.array(list(tokens), object), gained.astype(object)], -1),
                "hovertemplate": "before %{customdata[0]}<br>KL %{y:.3g} nats<br>the token costs "
                "%{customdata[1]:+.3g} bits more<extra></extra>",
            }
        ],
        layout(
            theme,
            title=title,
            x="the token that is predicted",
            y="KL (nats)",
            height=300,
            xaxis=token_axis(list(tokens)),
            yaxis={"fixedrange": True, "rangemode": "tozero"},
        ),
    )


def alone(costs: np.ndarray, parts: Sequence[str], theme: Theme, *, title: str) -> go.Figure:
    """KL [parts, layers] in nats with one kind of matrix of one layer rounded at a time, on a logarithmic scale."""
    logs = np.log10(np.maximum(costs, LEAST))
    powers = np.arange(int(np.floor(np.nanmin(logs))), int(np.ceil(np.nanmax(logs))) + 1)
    return figure(
        [
            {
                "type": "heatmap",
                "z": logs.astype(np.float32),
                "x": np.arange(costs.shape[1]),
                "y": list(parts),
                "colorscale": scale(theme.sequential),
                "xgap": 1,
                "ygap": 1,
                "customdata": costs.astype(np.float32),
                "hovertemplate": "layer %{x}, %{y}: KL %{customdata:.2e} nats<extra></extra>",
                "colorbar": colorbar(
                    theme, title={"text": "KL"}, tickvals=powers, ticktext=[tick_text(10.0**power) for power in powers]
                ),
            }
        ],
        layout(
            theme,
            title=title,
            x="layer",
            y="",
            height=90 + 28 * len(parts),
            xaxis={"fixedrange": True, "dtick": 1 if costs.shape[1] < 20 else 5},
            yaxis={"fixedrange": True, "autorange": "reversed"},
        ),
    )

"""What a changed routing costs: the loss of each token, of each muted expert, and at each capacity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout
from ..heatmap import colorbar
from ..predictions import losses_before_after
from ..theme import Theme, scale
from .loads import FRAME, LETTERED, ROW


def losses(tokens: Sequence[str], before: np.ndarray, after: np.ndarray, theme: Theme, *, what: str) -> go.Figure:
    """Each token's loss in nats, [T - 1], as the model routes and with the routing changed, which `what` names."""
    return losses_before_after(tokens, {"as trained": before, what: after}, theme, height=280)


def change_map(change: np.ndarray, layers: Sequence[int], theme: Theme, *, title: str) -> go.Figure:
    """Change of the text's mean loss, nats per token [L, E], with each expert muted alone."""
    experts = change.shape[1]
    limit = float(np.abs(change).max()) or 1.0
    trace = {
        "type": "heatmap",
        "z": np.asarray(change, np.float32),
        "x": np.arange(experts),
        "y": [f"layer {layer}" for layer in layers],
        "zmin": -limit,
        "zmax": limit,
        "colorscale": scale(theme.costs),
        "xgap": 2,
        "ygap": 2,
        "texttemplate": "%{z:.2f}" if experts <= LETTERED else "",
        "hovertemplate": "without expert %{x} of %{y}: %{z:.4f} nats per token<extra></extra>",
        "colorbar": colorbar(theme),
    }
    axis = {"showgrid": False, "zeroline": False, **({"dtick": 1} if experts <= LETTERED else {})}
    height = FRAME + ROW * len(layers)
    return figure(
        [trace],
        layout(
            theme,
            title=title,
            x="muted expert",
            height=height,
            xaxis=axis,
            yaxis={"autorange": "reversed", "showgrid": False},
        ),
    )


def capacity_curve(
    factors: Sequence[float],
    dropped: Sequence[float],
    losses: Sequence[float],
    unlimited: float,
    chosen: float,
    theme: Theme,
) -> go.Figure:
    """Choices that are dropped in per cent, and the text's mean loss in nats, by capacity factor; `chosen` is
    marked."""
    base = layout(theme, title="Dropped choices (%) and loss of the text (nats per token)", height=280)
    x = np.asarray(factors, np.float32)
    lines = [
        ("dropped", np.asarray(dropped, np.float32), theme.warm, "y", "%{y:.1f}% dropped"),
        ("loss", np.asarray(losses, np.float32), theme.accent, "y2", "%{y:.4f} nats per token"),
    ]
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": x,
            "y": values,
            "yaxis": axis,
            "marker": {"size": 5, "color": color},
            "line": {"color": color, "width": 2},
            "hovertemplate": f"capacity factor %{{x:.2f}}: {said}<extra></extra>",
        }
        for name, values, color, axis, said in lines
    ]
    plain = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y2", "y0": unlimited, "y1": unlimited}
    here = {"type": "line", "x0": chosen, "x1": chosen, "yref": "paper", "y0": 0, "y1": 1}
    shapes = [
        {**plain, "line": {"color": theme.accent, "width": 1, "dash": "dot"}},
        {**here, "line": {"color": theme.ink, "width": 1.5, "dash": "dot"}},
    ]
    return figure(traces, {**base, **_two_scales(base, theme), "showlegend": True, "shapes": shapes})


def _two_scales(base: dict[str, Any], theme: Theme) -> dict[str, dict[str, Any]]:
    """The axes of `capacity_curve`: what is dropped at the left, the loss at the right."""

    def titled(axis: str, text: str, color: str) -> dict[str, Any]:
        return {**base[axis], "title": {"text": text, "font": {"size": 12, "color": color}}}

    return {
        "xaxis": titled("xaxis", "capacity factor", theme.ink),
        "yaxis": {**titled("yaxis", "dropped (%)", theme.warm), "rangemode": "tozero"},
        "yaxis2": {
            **titled("yaxis", "nats per token", theme.accent),
            "overlaying": "y",
            "side": "right",
            "showgrid": False,
            "tickformat": ".2f",
            "nticks": 6,
        },
    }

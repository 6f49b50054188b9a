"""Next-token probabilities, before and after, and what changes along the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tlmviz.figures import Theme, figure, layout, token_axis, token_labels

if TYPE_CHECKING:
    import plotly.graph_objects as go


def before_after(names: list[str], before: np.ndarray, after: np.ndarray, theme: Theme) -> go.Figure:
    """Two bars per token: its probability without and with an intervention, [K] each."""
    title = "Next-token probability, original and changed"
    return _pairs(names, before, after, theme, title, "probability", {"tickformat": ".0%"})


def gradient(names: list[str], before: np.ndarray, after: np.ndarray, theme: Theme) -> go.Figure:
    """Two bars per token: its entry of p - y without and with an intervention, [K] each."""
    title = "Gradient of the loss with respect to the next-token logits, p − y"
    return _pairs(names, before, after, theme, title, "p − y", {"zeroline": True})


def _pairs(
    names: list[str], before: np.ndarray, after: np.ndarray, theme: Theme, title: str, y: str, yaxis: dict[str, Any]
) -> go.Figure:
    """Grouped bars, original and changed."""
    where = np.arange(len(names))
    bars = [
        dict(
            type="bar",
            x=where,
            y=np.asarray(values, np.float32),
            name=label,
            marker={"color": color},
            hovertemplate="%{y:.5f}<extra>" + label + "</extra>",
        )
        for label, values, color in (("original", before, theme.accent), ("changed", after, theme.warm))
    ]
    tokens = {"tickvals": where, "ticktext": token_labels(names), "showgrid": False}
    return figure(
        bars, layout(theme, title=title, y=y, height=300, xaxis=tokens, yaxis=yaxis, barmode="group", showlegend=True)
    )


def losses_before_after(tokens: Sequence[str], runs: Mapping[str, np.ndarray], theme: Theme, height: int) -> go.Figure:
    """Each next token's loss in nats, [T - 1], as two bars: name -> losses, as it is and changed."""
    labels = token_labels(list(tokens)[1:])
    bars = [
        {
            "type": "bar",
            "x": np.arange(len(labels)),
            "y": np.asarray(values, np.float32),
            "name": name,
            "customdata": labels,
            "marker": {"color": color},
            "hovertemplate": f"%{{customdata}}: %{{y:.4f}} nats<extra>{name}</extra>",
        }
        for (name, values), color in zip(runs.items(), (theme.accent, theme.warm))
    ]
    return figure(
        bars,
        layout(
            theme,
            title="Loss of each token (nats)",
            y="nats",
            height=height,
            xaxis=token_axis(labels),
            barmode="group",
            showlegend=True,
            bargap=0.25,
        ),
    )


def loss_change(tokens: list[str], change: np.ndarray, theme: Theme) -> go.Figure:
    """Change of each token's loss in nats, [T - 1]; above zero the intervention hurt."""
    labels = token_labels(tokens[1:])
    bars = dict(
        type="bar",
        x=np.arange(len(change)),
        y=np.asarray(change, np.float32),
        customdata=labels,
        marker={"color": np.where(np.asarray(change) > 0, theme.worse, theme.better)},
        hovertemplate="%{customdata}: %{y:+.4f} nats<extra></extra>",
    )
    title = "Change of the loss per token (nats; above zero is worse)"
    return figure([bars], layout(theme, title=title, y="nats", height=300, xaxis=token_axis(labels)))

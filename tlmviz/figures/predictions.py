"""Next-token probabilities, before and after, and what changes along the text."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import FIXED_MARGIN, Theme, figure, layout, token_axis, token_label


def top_tokens(
    names: list[str], probabilities: np.ndarray, after: str, theme: Theme, height: int = 430
) -> go.Figure:
    """Horizontal bars of the most probable next tokens, [K] names and probabilities, largest on top."""
    where = np.arange(len(names))
    bars = dict(
        type="bar",
        x=np.asarray(probabilities, np.float32),
        y=where,
        orientation="h",
        marker={"color": theme.accent},
        text=[f"{p:.1%}" for p in probabilities],
        textposition="outside",
        cliponaxis=False,
        textfont={"size": 11, "color": theme.muted},
        customdata=[token_label(name, 40) for name in names],
        hovertemplate="%{customdata}: probability %{x:.5f}<extra></extra>",
    )
    tokens = {
        "tickvals": where,
        "ticktext": [token_label(name, 12) for name in names],
        "autorange": "reversed",
        "showgrid": False,
        **FIXED_MARGIN,
    }
    share = {
        "range": [0, max(1e-6, float(np.max(probabilities))) * 1.35],
        "tickformat": ".0%",
        "nticks": 4,
        **FIXED_MARGIN,
    }
    title = f"Next token after “{token_label(after)}”"
    margin = {"l": 92, "r": 8, "t": 34, "b": 42}
    return figure(
        [bars],
        layout(
            theme,
            title=title,
            x="probability",
            height=height,
            xaxis=share,
            yaxis=tokens,
            margin=margin,
        ),
    )


def before_after(names: list[str], before: np.ndarray, after: np.ndarray, theme: Theme) -> go.Figure:
    """Two bars per token: its probability without and with an intervention, [K] each."""
    title = "Next-token probability, original and changed"
    return _pairs(names, before, after, theme, title, "probability", {"tickformat": ".0%"})


def gradient(names: list[str], before: np.ndarray, after: np.ndarray, theme: Theme) -> go.Figure:
    """Two bars per token: its entry of p - y without and with an intervention, [K] each."""
    title = "Gradient of the loss with respect to the next-token logits, p − y"
    return _pairs(names, before, after, theme, title, "p − y", {"zeroline": True})


def _pairs(
    names: list[str], before: np.ndarray, after: np.ndarray, theme: Theme, title: str, y: str, yaxis: dict
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
    tokens = {"tickvals": where, "ticktext": [token_label(name) for name in names], "showgrid": False}
    return figure(
        bars,
        layout(
            theme,
            title=title,
            y=y,
            height=300,
            xaxis=tokens,
            yaxis=yaxis,
            barmode="group",
            showlegend=True,
        ),
    )


def loss_change(tokens: list[str], change: np.ndarray, theme: Theme) -> go.Figure:
    """Change of each token's loss in nats, [T - 1]; above zero the intervention hurt."""
    labels = [token_label(token) for token in tokens[1:]]
    bars = dict(
        type="bar",
        x=np.arange(len(change)),
        y=np.asarray(change, np.float32),
        customdata=labels,
        marker={"color": np.where(np.asarray(change) > 0, theme.warm, theme.accent)},
        hovertemplate="%{customdata}: %{y:+.4f} nats<extra></extra>",
    )
    title = "Change of the loss per token (nats; above zero is worse)"
    return figure([bars], layout(theme, title=title, y="nats", height=300, xaxis=token_axis(labels)))

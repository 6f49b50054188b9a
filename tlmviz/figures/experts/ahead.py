"""Predictions several tokens ahead: how often they are right by depth, and what proposals gain in speed."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from ..chart import figure, layout
from ..theme import Theme


def accuracy_by_depth(
    on_text: Sequence[tuple[int, int]], held_out: Sequence[float], theme: Theme
) -> go.Figure:
    """Shares of right predictions of token t + 1, t + 2, ...: (right, all) on a text, and shares on held-out stories."""
    depths = [f"t + {k + 1}" for k in range(max(len(on_text), len(held_out)))]
    shares = [100 * right / whole if whole else None for right, whole in on_text]
    traces = [
        {
            "type": "bar",
            "name": "this text",
            "x": depths[: len(shares)],
            "y": shares,
            "customdata": [f"{right} of {whole}" for right, whole in on_text],
            "marker": {"color": theme.accent},
            "hovertemplate": "%{x} on this text: %{y:.1f} % (%{customdata})<extra></extra>",
        },
        {
            "type": "bar",
            "name": "held-out stories, the modules reading the stories' own tokens",
            "x": depths[: len(held_out)],
            "y": [100 * share for share in held_out],
            "marker": {"color": theme.warm},
            "hovertemplate": "%{x} on held-out stories: %{y:.1f} %<extra></extra>",
        },
    ]
    return figure(
        traces,
        layout(
            theme, title="Right predictions by depth (%)", x="which token", y="% right", height=300,
            barmode="group", showlegend=True, yaxis={"range": [0, 100]},
        ),
    )  # fmt: skip


def speeds(plain: float, quick: float, theme: Theme) -> go.Figure:
    """Tokens per second: one token a pass, and with proposals."""
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": [quick, plain],
        "y": ["with proposals", "one token a pass"],
        "marker": {"color": [theme.accent, theme.warm]},
        "hovertemplate": "%{y}: %{x:.0f} tokens per second<extra></extra>",
    }
    return figure(
        [trace],
        layout(
            theme, title="Speed on this server, now (tokens per second)", x="tokens per second", height=200
        ),
    )

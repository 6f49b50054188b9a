"""Predictions several tokens ahead: how often they are right by depth, and what proposals gain in speed."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import plotly.graph_objects as go

from ..chart import figure, layout
from ..theme import Theme


def accuracy_by_depth(
    own: Sequence[tuple[int, int]], given: Sequence[tuple[int, int]] | None, held_out: Sequence[float], theme: Theme
) -> go.Figure:
    """Shares of right predictions of token t + 1, t + 2, ...: (right, all) on a text, the modules reading what was
    predicted (`own`) and the text (`given`; None where they read neither), and shares on held-out stories, the modules
    reading these."""
    depths = [f"t + {k + 1}" for k in range(max(len(own), len(held_out)))]
    on_text = [("this text", own, theme.accent)]
    if given is not None:
        on_text = [
            ("this text, reading what was predicted", own, theme.accent),
            ("this text, reading it", given, theme.muted),
        ]
    traces: list[dict[str, Any]] = [
        *(
            {
                "type": "bar",
                "name": name,
                "x": depths[: len(counts)],
                "y": [100 * right / whole if whole else None for right, whole in counts],
                "customdata": [f"{right} of {whole}" for right, whole in counts],
                "marker": {"color": color},
                "hovertemplate": f"%{{x}}, {name}: %{{y:.1f}}% (%{{customdata}})<extra></extra>",
            }
            for name, counts, color in on_text
        ),
        {
            "type": "bar",
            "name": "held-out stories" if given is None else "held-out stories, reading them",
            "x": depths[: len(held_out)],
            "y": [100 * share for share in held_out],
            "marker": {"color": theme.warm},
            "hovertemplate": "%{x} on held-out stories: %{y:.1f}%<extra></extra>",
        },
    ]
    return figure(
        traces,
        layout(
            theme,
            title="Right predictions by depth (%)",
            x="which token",
            y="% right",
            height=300,
            barmode="group",
            showlegend=True,
            yaxis={"range": [0, 100]},
        ),
    )


def speeds(plain: Sequence[float], quick: Sequence[float], theme: Theme) -> go.Figure:
    """Tokens per second, one token a pass and with proposals: the median of some rounds, slowest first, and their
    range."""
    both = quick, plain
    middle = [median(rounds) for rounds in both]
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": middle,
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [rounds[-1] - value for rounds, value in zip(both, middle)],
            "arrayminus": [value - rounds[0] for rounds, value in zip(both, middle)],
            "color": theme.ink,
        },
        "y": ["with proposals", "one token a pass"],
        "marker": {"color": [theme.accent, theme.warm]},
        "hovertemplate": "%{y}: %{x:.0f} tokens per second<extra></extra>",
    }
    return figure(
        [trace], layout(theme, title="Speed on this server, now (tokens per second)", x="tokens per second", height=200)
    )

"""How often the models of scenes are right, by kind of question."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from ..chart import figure, layout
from ..theme import HEADS, Theme

NAMES = {
    "side": "what is left of …",
    "where": "where is …",
    "place": "what is at …",
    "there": "is there …",
    "count": "how many",
    "describe": "describe",
}


def accuracy(
    answered: Mapping[str, float], marked: Mapping[str, float], usual: Mapping[str, float], theme: Theme, *, title: str
) -> go.Figure:
    """Bars of the shares answered and marked right, by kind of question, with a tick at what the most frequent answer
    gets."""
    kinds = list(answered)
    names = [NAMES[kind] for kind in kinds]
    bars = [
        {
            "type": "bar",
            "name": name,
            "x": names,
            "y": [values[kind] for kind in kinds],
            "marker": {"color": color},
            "hovertemplate": f"{name}: %{{y:.1%}}<extra>%{{x}}</extra>",
        }
        for name, values, color in (("words ask patches", answered, HEADS[1]), ("patches ask words", marked, HEADS[0]))
    ]
    ticks = {
        "type": "scatter",
        "mode": "markers",
        "name": "always the usual answer",
        "x": names,
        "y": [usual[kind] for kind in kinds],
        "marker": {"symbol": "line-ew", "size": 26, "line": {"color": theme.ink, "width": 2}},
        "hovertemplate": "always the most frequent answer: %{y:.1%}<extra>%{x}</extra>",
    }
    shape = layout(
        theme,
        title=title,
        x="kind of question",
        y="share",
        height=320,
        showlegend=True,
        barmode="group",
        yaxis={"range": [0, 1.04], "tickformat": ".0%"},
    )
    return figure([*bars, ticks], shape)

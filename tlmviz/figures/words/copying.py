"""The loss of each word of a text, with a pointer and without."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout
from ..theme import HEADS, Theme
from ..tokens import token_labels


def word_losses(tokens: Sequence[str], copying: np.ndarray, plain: np.ndarray, theme: Theme) -> go.Figure:
    """Nats of each word after the first by both models; all unknown words count as one."""
    places = np.arange(1, len(tokens))
    labels = token_labels(list(tokens))[1:]
    traces = [
        {
            "type": "bar",
            "name": name,
            "x": places,
            "y": values.astype(np.float32),
            "customdata": labels,
            "marker": {"color": color},
            "hovertemplate": f"%{{customdata}}: %{{y:.3f}} nats {name}<extra></extra>",
        }
        for name, values, color in (("with the pointer", copying, HEADS[1]), ("without", plain, HEADS[0]))
    ]
    ticks = {"tickvals": places, "ticktext": labels, "tickangle": -60} if len(places) <= 80 else {}
    return figure(
        traces,
        layout(
            theme,
            title="Loss of each word (nats)",
            x="word",
            y="nats",
            height=330,
            xaxis=ticks,
            barmode="group",
            showlegend=True,
        ),
    )

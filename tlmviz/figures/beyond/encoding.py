"""What each token of a text costs when it is hidden, read from both sides and from the left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout
from ..theme import HEADS, Theme
from ..tokens import token_labels


def losses(tokens: Sequence[str], both: np.ndarray, causal: np.ndarray, theme: Theme) -> go.Figure:
    """Bits of each token, hidden alone, by the same model without a mask and with a causal one."""
    places = np.arange(len(tokens))
    labels = token_labels(list(tokens))
    traces = [
        {
            "type": "bar",
            "name": name,
            "x": places,
            "y": values.astype(np.float32),
            "customdata": labels,
            "marker": {"color": color},
            "hovertemplate": f"%{{customdata}}: %{{y:.2f}} bits, {name}<extra></extra>",
        }
        for name, values, color in (("from both sides", both, HEADS[0]), ("from the left alone", causal, HEADS[1]))
    ]
    return figure(
        traces,
        layout(
            theme,
            title="What each token costs when it is hidden (bits)",
            x="token",
            y="bits",
            height=320,
            xaxis={"tickvals": places, "ticktext": labels, "tickangle": -60},
            barmode="group",
            showlegend=True,
        ),
    )

"""Where and how strongly streams are mixed: distances of H_res from what mixes nothing and from what mixes all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, colorbar, figure, layout, scale, token_labels, upright

MOST_TICKS = 16  # names beside an axis that still read


def distance_map(
    values: np.ndarray,
    names: Sequence[str],
    tokens: Sequence[str],
    what: str,
    place: tuple[int, int],
    theme: Theme,
    most: float = 0.0,
) -> go.Figure:
    """A distance of every H_res [P sublayers, T tokens] as a map; `what` names it, `place` (sublayer, token) is
    outlined.

    Colours reach up to `most`, or to the largest distance where that is larger: a small one must not look like a large
    one.
    """
    values = np.asarray(values, np.float32)
    labels = token_labels(tokens)
    heatmap = dict(
        type="heatmap",
        z=values,
        zmin=0.0,
        zmax=max(most, float(np.nanmax(values))) or 1.0,
        colorscale=scale(theme.sequential),
        colorbar=colorbar(theme, thickness=10, nticks=None, len=0.9),
        x=[f"“{label}” ({i})" for i, label in enumerate(labels)],
        y=list(names),
        hovertemplate="%{y}, token %{x}: %{z:.5g}<extra></extra>",
    )
    sublayer, token = place
    outline = {
        "type": "rect",
        "x0": token - 0.5,
        "x1": token + 0.5,
        "y0": sublayer - 0.5,
        "y1": sublayer + 0.5,
        "line": {"color": HEADS[4], "width": 2},
    }
    quiet = {"showgrid": False, "zeroline": False, "type": "category"}  # categories are counted: 0.5 lies between two
    return figure(
        [heatmap],
        layout(
            theme,
            title=f"{what}, every sublayer and token",
            x="token",
            height=330,
            shapes=[outline],
            xaxis={**quiet, **_ticks(labels)},
            yaxis={**quiet, **_ticks(names), "autorange": "reversed"},
        ),
    )


def distance_curves(distances: dict[str, np.ndarray], names: Sequence[str], sublayer: int, theme: Theme) -> go.Figure:
    """Mean over tokens of each distance [P, T] by sublayer, with one standard deviation to either side."""
    where = np.arange(len(names), dtype=np.int32)
    traces = []
    for (name, values), color in zip(distances.items(), (theme.accent, HEADS[1], HEADS[2])):
        values = np.asarray(values, np.float64)
        mean, spread = values.mean(1), values.std(1)
        band = np.concatenate([mean + spread, (mean - spread)[::-1]]).astype(np.float32)
        traces.append(
            dict(
                type="scatter",
                x=np.concatenate([where, where[::-1]]),
                y=band,
                fill="toself",
                mode="lines",
                hoverinfo="skip",
                line={"width": 0},
                fillcolor=color,
                opacity=0.2,
                showlegend=False,
            )
        )
        traces.append(
            dict(
                type="scatter",
                x=where,
                y=mean.astype(np.float32),
                mode="lines+markers",
                name=name,
                line={"color": color, "width": 2},
                marker={"size": 5},
                customdata=[[label, one] for label, one in zip(names, spread.tolist())],
                hovertemplate="%{customdata[0]}: %{y:.5g} ± %{customdata[1]:.2g}<extra>" + name + "</extra>",
            )
        )
    mark = upright(sublayer, color=theme.ink, width=1, dash="dot")
    return figure(
        traces,
        layout(
            theme,
            title="Distances, mean ± std over tokens",
            x="sublayer",
            y="distance",
            height=350,
            shapes=[mark],
            showlegend=True,
            xaxis=_ticks(names),
            yaxis={"rangemode": "tozero"},
            margin={"l": 8, "r": 8, "t": 66, "b": 8},  # two lines of a legend where the width is short
            legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "xanchor": "left", "font": {"size": 10}},
        ),
    )


def _ticks(names: Sequence[str]) -> dict[str, Any]:
    """Names at every step of an axis, at evenly spaced ones where all would not fit."""
    step = -(-len(names) // MOST_TICKS)
    where = list(range(0, len(names), step))
    return {"tickmode": "array", "tickvals": where, "ticktext": [names[i] for i in where]}

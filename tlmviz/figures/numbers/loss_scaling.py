"""Pictures of scaled losses: errors against the scale, logged runs, and weights that updates do or do not reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, figure, layout
from tlmviz.figures.theme import HEADS
from tlmviz.figures.written import RAISED

FIXED = {"fixedrange": True, "zeroline": False}
RATES = {1e-6: "10⁻⁶", 1e-5: "10⁻⁵", 1e-4: "10⁻⁴", 1e-3: "0.001", 1e-2: "0.01"}  # where the axis is written
LEGEND = {"orientation": "h", "y": -0.28, "x": 0}


def power_of_two(k: float) -> str:
    """2¹⁶."""
    return "2" + str(round(k)).translate(RAISED)


def _line(x: Any, y: Any, color: str, name: str, hover: str, **line: Any) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": np.asarray(x, np.float32),
        "y": y,
        "mode": "lines",
        "line": {"color": color, "width": 2} | line,
        "name": name,
        "hovertemplate": f"{hover}<extra>{name}</extra>",
    }


def errors(k: np.ndarray, error: np.ndarray, theme: Theme, *, title: str) -> go.Figure:
    """Relative error [n] of a gradient in FP16 against the scale 2^k [n]; a cross at the top where it overflowed."""
    fine = np.isfinite(error)
    top = 2.0
    line = _line(k[fine], error[fine].astype(np.float32), theme.accent, "FP16", "S = 2^%{x}: off by %{y:.2%}")
    crosses = {
        "type": "scatter",
        "x": k[~fine],
        "y": np.full((~fine).sum(), top),
        "mode": "markers",
        "marker": {"symbol": "x", "size": 9, "color": theme.alarm},
        "name": "overflow",
        "hovertemplate": "S = 2^%{x}: infinite or NaN, the step is skipped<extra></extra>",
    }
    return figure(
        [line | {"mode": "lines+markers"}, crosses],
        layout(
            theme,
            title=title,
            x="scale S of the loss",
            y="error of the gradient",
            height=280,
            showlegend=True,
            legend={**LEGEND, "font": {"color": theme.muted, "size": 11}},
            xaxis={**FIXED, "tickvals": k[::2], "ticktext": [power_of_two(each) for each in k[::2]]},
            yaxis={**FIXED, "type": "log", "tickformat": ".1%", "tickvals": [1e-3, 1e-2, 0.1, 1]},
        ),
    )


def scale_of_run(scale: np.ndarray, skipped: np.ndarray, lost: np.ndarray, theme: Theme, *, title: str) -> go.Figure:
    """log2 of the scale [n] through a run's steps, with a cross at each that was `skipped` [n]; hovered, the share
    `lost` [n]."""
    steps = np.arange(1, len(scale) + 1)
    line = _line(
        steps, scale, theme.accent, "S", "step %{x}: S = 2^%{y}, %{customdata:.2%} of the gradients 0", shape="hv"
    )
    crosses = {
        "type": "scatter",
        "x": steps[skipped],
        "y": scale[skipped].astype(np.float32),
        "mode": "markers",
        "marker": {"symbol": "x", "size": 8, "color": theme.alarm},
        "name": "overflow: step skipped",
        "hovertemplate": "step %{x}: overflow at 2^%{y}, skipped<extra></extra>",
    }
    low, high = int(scale.min()), int(scale.max())
    ticks = np.arange(low, high + 1, max(1, (high - low) // 6))
    return figure(
        [line | {"customdata": lost.astype(np.float32)}, crosses],
        layout(
            theme,
            title=title,
            x="step",
            y="scale S",
            height=250,
            showlegend=True,
            legend={**LEGEND, "font": {"color": theme.muted, "size": 11}},
            xaxis={**FIXED, "range": [0, len(scale) + 1]},
            yaxis={
                **FIXED,
                "range": [low - 1, high + 1],
                "tickvals": ticks,
                "ticktext": [power_of_two(float(each)) for each in ticks],
            },
        ),
    )


def losses(
    found: Mapping[str, np.ndarray], theme: Theme, *, title: str, chosen: str = "", smooth: int = 5, height: int = 300
) -> go.Figure:
    """The loss [n] of each run by name, in the mean of the last `smooth` steps; the chosen one thick."""
    lines = []
    for (name, loss), color in zip(found.items(), HEADS):
        total = np.cumsum(np.insert(loss, 0, 0.0))
        first = np.maximum(np.arange(1, len(loss) + 1) - smooth, 0)
        mean = (total[1:] - total[first]) / (np.arange(1, len(loss) + 1) - first)
        width = 3.5 if name == chosen else 1.8
        lines.append(
            _line(np.arange(1, len(loss) + 1), mean.astype(np.float32), color, name, "step %{x}: %{y:.3f}", width=width)
        )
    return figure(
        lines,
        layout(
            theme,
            title=title,
            x="step",
            y="loss (nats)",
            height=height,
            showlegend=True,
            legend={**LEGEND, "font": {"color": theme.muted, "size": 11}},
            xaxis=FIXED,
            yaxis=FIXED,
        ),
    )


def sums(found: Mapping[str, np.ndarray], theme: Theme, *, title: str) -> go.Figure:
    """A weight [n] after 0, 1, ... additions of an update, by how it is kept; the exact sum dashed."""
    lines = []
    for (name, path), color in zip(found.items(), (theme.muted, *HEADS)):
        path = np.where(np.isfinite(path), path, np.nan)
        style = {"dash": "dash"} if name == "exact" else {"shape": "hv"}
        lines.append(
            # Stays float64: float32 would round what the lines are about.
            _line(np.arange(len(path)), path, color, name, "after %{x} steps: %{y:.7g}", **style)
        )
    return figure(
        lines,
        layout(
            theme,
            title=title,
            x="steps",
            y="weight",
            height=300,
            showlegend=True,
            legend={**LEGEND, "font": {"color": theme.muted, "size": 11}},
            xaxis=FIXED,
            yaxis=FIXED,
        ),
    )


def room(largest: np.ndarray, held: np.ndarray, cut: np.ndarray, theme: Theme, *, title: str) -> go.Figure:
    """A tensor's largest magnitude [n] through the steps, under what its scale held [n]; a cross where numbers were
    `cut` [n]."""
    steps = np.arange(1, len(largest) + 1)
    over = cut > 0
    lines = [
        _line(steps, held, theme.muted, "room of its scale", "step %{x}: up to %{y:.3g}", shape="hv", dash="dash"),
        _line(steps, largest, theme.accent, "its largest", "step %{x}: %{y:.3g}"),
        {
            "type": "scatter",
            "x": steps[over],
            "y": largest[over],
            "mode": "markers",
            "marker": {"symbol": "x", "size": 9, "color": theme.alarm},
            "name": "cut",
            "customdata": cut[over],
            "hovertemplate": "step %{x}: %{customdata} numbers cut<extra></extra>",
        },
    ]
    return figure(
        lines,
        layout(
            theme,
            title=title,
            x="steps",
            y="magnitude",
            height=300,
            showlegend=True,
            legend={**LEGEND, "font": {"color": theme.muted, "size": 11}},
            xaxis=FIXED,
            yaxis={**FIXED, "type": "log"},
        ),
    )


def unchanged(rates: np.ndarray, shares: Mapping[str, np.ndarray], theme: Theme, *, title: str) -> go.Figure:
    """The share of weights [n] that a step leaves as they are against the rate [n], by the format they are kept in."""
    lines = [
        _line(rates, (100 * share).astype(np.float32), color, name, "rate %{x:.2g}: %{y:.1f}% stay as they are")
        for (name, share), color in zip(shares.items(), (theme.warm, theme.accent))
    ]
    return figure(
        lines,
        layout(
            theme,
            title=title,
            x="learning rate η",
            y="weights left as they are (%)",
            height=300,
            showlegend=True,
            legend={**LEGEND, "font": {"color": theme.muted, "size": 11}},
            xaxis={**FIXED, "type": "log", "tickvals": list(RATES), "ticktext": list(RATES.values())},
            yaxis={**FIXED, "rangemode": "tozero"},
        ),
    )

"""The numbers of a model over the doublings of a format."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, faded, figure, layout, note, shaded, upright
from tlmviz.figures.written import number


def doublings(
    series: dict[str, tuple[np.ndarray, np.ndarray]], limits: tuple[float, float, float], theme: Theme, *, title: str
) -> go.Figure:
    """Shares of numbers by doubling, a line each: name -> (e, share). `limits` are a format's smallest, smallest normal
    and largest number: left of the first nothing is kept, between the first two fewer bits are, right of the last all
    is too large.
    """
    colors = (theme.accent, theme.warm, theme.muted)
    traces = [
        {
            "type": "scatter",
            "x": e.astype(np.float32) + 0.5,
            "y": (100 * share).astype(np.float32),
            "mode": "lines",
            "fill": "tozeroy",
            "fillcolor": faded(color, 0.12),
            "line": {"color": color, "width": 2, "shape": "hvh"},
            "name": name,
            "customdata": [number(2.0**each, ".2e") for each in e],
            "hovertemplate": f"{name}: %{{y:.2f}}% from %{{customdata}} to twice that<extra></extra>",
        }
        for (name, (e, share)), color in zip(series.items(), colors)
    ]
    held = np.concatenate([e[share > 0] for e, share in series.values()])
    low, high, shapes, notes = _limits(held, limits, theme)
    powers = np.arange(np.ceil(low / 3.3219) * 3, high, 3).astype(int)
    ticks = [int(power) for power in powers if low <= power * 3.3219 <= high]
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="size of the number",
            y="share of the numbers (%)",
            height=330,
            shapes=shapes,
            annotations=notes,
            showlegend=True,
            legend={"orientation": "h", "y": -0.22, "x": 0, "font": {"color": theme.muted, "size": 11}},
            margin={"t": 56},
            xaxis={
                "fixedrange": True,
                "range": [low, high],
                "tickvals": [power * 3.3219 for power in ticks],
                "ticktext": [number(10.0**power, ".0e") if power else "1" for power in ticks],
            },
            yaxis={"fixedrange": True, "rangemode": "tozero"},
        ),
    )


def _limits(
    held: np.ndarray, limits: tuple[float, float, float], theme: Theme
) -> tuple[float, float, list[dict[str, Any]], list[dict[str, Any]]]:
    """The ends of the axis, in doublings, and the format's limits as shaded spans with their names."""
    zero, normal, largest = (float(np.log2(limit)) for limit in limits)
    low = min(float(held.min(initial=0)), zero) - 2
    high = max(float(held.max(initial=0)) + 1, min(largest, 18.0)) + 2
    shapes = [
        shaded(low, zero - 1, theme.alarm, 0.10),
        shaded(zero - 1, normal, theme.warm, 0.10),
        *([shaded(largest, high, theme.alarm, 0.10)] if largest < high else []),
        *(upright(x, color=theme.muted, width=1, dash="dot") for x in (zero - 1, normal, largest) if x < high),
    ]
    names = [("lost", low, zero - 1), ("subnormal", zero - 1, normal), ("too large", largest, high)]
    notes = [
        {**note(name, (left + right) / 2, 1.0, theme.muted, anchor=("center", "bottom")), "xref": "x"}
        for name, left, right in names
        if right - left > 3 and left < high
    ]
    return low, high, shapes, notes

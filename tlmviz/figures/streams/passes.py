"""Signals and gradients of a real pass through every depth, and gains of stacks deeper than any trained one."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, faded, figure, layout, log_ticks, upright

from .depth import NAMES, color

MARGIN = {"l": 8, "r": 8, "t": 54, "b": 8}  # the legend has a line below the title


def norms(lines: dict[str, np.ndarray], depths: list[str], theme: Theme, *, title: str, unit: str) -> go.Figure:
    """One quantity of the streams at every depth, {connection: [D]}, on a logarithmic axis."""
    traces = [
        {
            "type": "scatter",
            "x": depths,
            "y": np.asarray(line, np.float32),
            "mode": "lines+markers",
            "name": NAMES[kind],
            "line": {"color": color(kind, theme), "width": 2},
            "marker": {"size": 4},
            "hovertemplate": f"%{{x}}: %{{y:.5g}}<extra>{NAMES[kind]}</extra>",
        }
        for kind, line in lines.items()
    ]
    step = 2 * max(1, len(depths) // 16)
    places = list(range(0, len(depths), step))
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="sublayers passed",
            y=unit,
            height=310,
            showlegend=True,
            margin=MARGIN,
            xaxis={
                "type": "category",
                "tickmode": "array",
                "tickvals": places,
                "ticktext": [str(place) for place in places],
            },
            yaxis={"type": "log", "exponentformat": "power", "nticks": 6, **log_ticks(*lines.values())},
        ),
    )


def quantiles(bands: dict[str, np.ndarray], trained: int, theme: Theme, *, title: str) -> go.Figure:
    """log10 gains after 1, 2, ... sublayers, {connection: [3, S]}: a low quantile, the median and a high one; gains on
    the axis.

    The dotted line stands where the trained model ends.
    """
    traces = []
    for kind, band in bands.items():
        low, middle, high = np.asarray(band, np.float32)
        x, ink = np.arange(1, len(middle) + 1, dtype=np.int32), color(kind, theme)
        edge = {"type": "scatter", "x": x, "mode": "lines", "line": {"width": 0.5, "color": ink}, "showlegend": False}
        words = "after %{x} sublayers: 10^%{y:.3f}"
        traces += [
            {**edge, "y": low, "hovertemplate": f"{words}<extra>{NAMES[kind]}, 10% of stacks lie below</extra>"},
            {
                **edge,
                "y": high,
                "fill": "tonexty",
                "fillcolor": faded(ink, 0.18),
                "hovertemplate": f"{words}<extra>{NAMES[kind]}, 10% of stacks lie above</extra>",
            },
            {
                **edge,
                "y": middle,
                "line": {"width": 2.5, "color": ink},
                "name": NAMES[kind],
                "showlegend": True,
                "hovertemplate": f"{words}<extra>{NAMES[kind]}, median</extra>",
            },
        ]
    limit = max(0.3, *(float(np.abs(band).max()) for band in bands.values()))
    step = next(step for step in (0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000) if limit / step < 6 or step == 1000)
    ticks = np.arange(-6.0, 7.0) * step
    marker = upright(trained, color=theme.muted, width=1.5, dash="dot")
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="sublayers",
            y="gain",
            height=310,
            showlegend=True,
            margin=MARGIN,
            shapes=[marker],
            yaxis={"tickmode": "array", "tickvals": ticks.tolist(), "ticktext": [_gain(tick) for tick in ticks]},
        ),
    )


def _gain(exponent: float) -> str:
    return f"{10**exponent:.3g}" if abs(exponent) < 3 else f"10<sup>{exponent:g}</sup>"

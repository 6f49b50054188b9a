"""Bytes, operations and a device's roofline for naive and tiled attention."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, figure, layout


def growth(
    lengths: np.ndarray, values: dict[str, np.ndarray], chosen: int, theme: Theme, *, title: str, unit: str
) -> go.Figure:
    """One quantity against the length T on logarithmic axes, {name: [N]}; the dotted line marks the chosen length."""
    lines = [
        {
            "type": "scatter",
            "x": lengths,
            "y": np.asarray(values[name], np.float64),
            "mode": "lines",
            "name": name,
            "line": {"color": color, "width": 2.5, "dash": dash},
            "hovertemplate": f"T = %{{x:,}}: %{{y:.4s}} {unit}<extra>{name}</extra>",
        }
        for name, (color, dash) in zip(values, _styles(theme))
    ]
    marker = {
        "type": "line",
        "x0": chosen,
        "x1": chosen,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": theme.muted, "width": 1.5, "dash": "dot"},
    }
    return figure(
        lines,
        layout(
            theme,
            title=title,
            x="length T",
            y=unit,
            height=330,
            shapes=[marker],
            showlegend=True,
            legend={"x": 0.02, "xanchor": "left", "y": 0.98, "yanchor": "top", "bgcolor": "rgba(0,0,0,0)"},
            xaxis={"type": "log", "dtick": 1, "exponentformat": "SI"},
            yaxis={"type": "log", "nticks": 6, "exponentformat": "SI"},
        ),
    )


def roofline(
    points: dict[str, tuple[float, float]], peak: float, bandwidth: float, device: str, theme: Theme
) -> go.Figure:
    """TFLOP/s a device can reach against operations per byte, with {name: (intensity, FLOP/s)} on it."""
    ridge = peak / bandwidth
    reach = [value for value, _ in points.values()]
    x = np.array([min(*reach, ridge) / 4, ridge, max(*reach, ridge) * 6])
    roof = {
        "type": "scatter",
        "x": x,
        "y": np.minimum(peak, x * bandwidth) / 1e12,
        "mode": "lines",
        "name": "roof",
        "line": {"color": theme.muted, "width": 2},
        "hovertemplate": "%{x:.3s} FLOP/byte: %{y:.4g} TFLOP/s<extra></extra>",
    }
    marks = [
        {
            "type": "scatter",
            "x": np.array([at]),
            "y": np.array([rate / 1e12]),
            "mode": "markers+text",
            "name": name,
            "text": [name],
            "textposition": "bottom right",  # the roof rises to the right
            "textfont": {"color": color, "size": 12},
            "marker": {"color": color, "size": 11},
            "hovertemplate": f"{name}: %{{x:.4s}} FLOP/byte, at most %{{y:.4g}} TFLOP/s<extra></extra>",
        }
        for (name, (at, rate)), (color, _) in zip(points.items(), _styles(theme))
    ]
    note = {
        "x": np.log10(ridge),
        "y": np.log10(peak / 1e12),
        "text": f"{ridge:,.0f} FLOP/byte",
        "showarrow": False,
        "yanchor": "bottom",
        "font": {"size": 11, "color": theme.ink},
    }
    return figure(
        [roof, *marks],
        layout(
            theme,
            title=f"Roofline, data sheet: {device}",
            x="FLOP per byte moved",
            y="TFLOP/s at most",
            height=330,
            annotations=[note],
            xaxis={"type": "log", "dtick": "D2"},
            yaxis={"type": "log", "dtick": "D2"},
        ),
    )


def _styles(theme: Theme) -> tuple[tuple[str, str], ...]:
    return ((theme.warm, "dash"), (theme.accent, "solid"), (theme.muted, "dot"))

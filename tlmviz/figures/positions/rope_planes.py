"""RoPE in a trained model: which dimensions pair up, what the wrong layout costs, which planes heads use, score by
distance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import (
    HEADS,
    Theme,
    colorbar,
    figure,
    frame,
    layout,
    scale,
    token_axis,
    token_label,
    token_labels,
    turn,
)

PLAIN = {"showgrid": False, "zeroline": False}
DASHES = ("solid", "dash", "dot", "dashdot")


def pairs(layouts: dict[str, np.ndarray], theme: Theme, height: int = 300) -> go.Figure:
    """Which dimensions each layout turns together: one row of dots per layout, [P, 2] dimensions each, an arc per
    plane."""
    traces, notes, half, level = [], [], np.linspace(0, np.pi, 25), 0.0
    for name, planes in layouts.items():
        apart = planes[:, 1] - planes[:, 0]
        rise = 0.35 + 0.65 * float((apart > 1).any())  # long arcs cross and need room
        colours = [HEADS[j % len(HEADS)] for j in range(len(planes))]
        for (a, b), colour in zip(planes, colours):
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": ((a + b) / 2 - (b - a) / 2 * np.cos(half)).astype(np.float32),
                    "y": (level - rise + rise * np.sin(half)).astype(np.float32),
                    "line": {"color": colour, "width": 1.6},
                    "hoverinfo": "skip",
                }
            )
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": planes.ravel().astype(np.int32),
                "y": np.full(planes.size, level - rise, np.float32),
                "marker": {"size": 7, "color": [colour for colour in colours for _ in range(2)]},
                "customdata": [f"plane {j}" for j in range(len(planes)) for _ in range(2)],
                "hovertemplate": "dimension %{x}: %{customdata}<extra></extra>",
            }
        )
        notes.append(
            {
                "text": name,
                "x": -0.5,
                "y": level + 0.05,
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 12, "color": theme.ink},
            }
        )
        level -= rise + 0.4
    return figure(
        traces,
        layout(
            theme,
            title="Dimensions that turn together",
            x="dimension of q and k",
            height=height,
            hovermode="closest",
            annotations=notes,
            xaxis={**PLAIN, "nticks": 9, "fixedrange": True},
            yaxis={"visible": False, "range": [level + 0.25, 0.3], "fixedrange": True},
        ),
    )


def losses(tokens: list[str], runs: dict[str, np.ndarray], theme: Theme, height: int = 300) -> go.Figure:
    """Each next token's loss in nats, [T - 1], one line per run."""
    labels = token_labels(tokens[1:])
    colours = (theme.accent, theme.warm, theme.muted, theme.ink)
    lines = [
        dict(
            type="scatter",
            x=np.arange(len(values)),
            y=np.asarray(values, np.float32),
            name=name,
            customdata=labels,
            mode="lines+markers" if len(values) < 60 else "lines",
            marker={"size": 5},
            line={"color": colour, "width": 1.8, "dash": dash},
            hovertemplate="%{customdata}: %{y:.4f} nats<extra>" + name + "</extra>",
        )
        for (name, values), colour, dash in zip(runs.items(), colours, DASHES)
    ]
    return figure(
        lines,
        layout(
            theme,
            title="Loss of each token (nats)",
            y="nats",
            height=height,
            showlegend=True,
            xaxis=token_axis(labels, 40),
            yaxis={"rangemode": "tozero"},
            margin={"l": 8, "r": 8, "t": 50, "b": 8},
        ),
    )


def next_tokens(
    names: list[str], runs: dict[str, np.ndarray], after: str, theme: Theme, height: int = 300
) -> go.Figure:
    """Next-token probabilities of two runs as pairs of bars, K names and [K] numbers each; `after` is the token before
    them."""
    where = np.arange(len(names))
    bars = [
        dict(
            type="bar",
            y=where,
            x=np.asarray(values, np.float32),
            orientation="h",
            name=name,
            marker={"color": colour},
            customdata=token_labels(names, 40),
            hovertemplate="%{customdata}: probability %{x:.5f}<extra>" + name + "</extra>",
        )
        for (name, values), colour in zip(runs.items(), (theme.accent, theme.warm))
    ]
    return figure(
        bars,
        layout(
            theme,
            title=f"Next token after “{token_label(after)}”",
            x="probability",
            height=height,
            barmode="group",
            showlegend=True,
            xaxis={"tickformat": ".0%", "nticks": 5, "rangemode": "tozero"},
            margin={"l": 8, "r": 8, "t": 56, "b": 8},
            yaxis={"tickvals": where, "ticktext": token_labels(names, 10), "autorange": "reversed", "showgrid": False},
        ),
    )


NAMED = 64  # heads, beyond which only some layers' first heads are named
LAYERS_NAMED = 16  # layers that are named, at most


def energy(
    values: np.ndarray, wavelength: np.ndarray, chosen: tuple[int, int], theme: Theme, height: int = 420
) -> go.Figure:
    """How far each plane can move a score, [L, H, P], a row per head; the chosen head is framed."""
    layers, heads, planes = values.shape
    rows = values.reshape(layers * heads, planes)
    names = [f"L{layer}H{head}" for layer in range(layers) for head in range(heads)]
    share = rows / np.maximum(rows.sum(1, keepdims=True), 1e-30)
    heatmap = dict(
        type="heatmap",
        z=share.astype(np.float32),
        zmin=0,
        zmax=float(np.quantile(share, 0.995)) or 1.0,
        colorscale=scale(theme.sequential),
        ygap=0.5 if len(rows) <= NAMED else 0,
        colorbar=colorbar(theme, tickformat=".0%", xpad=2, ypad=0),
        text=[
            [f"{name}, plane {j}: {row[j]:.4f} of the score" for j in range(planes)] for name, row in zip(names, rows)
        ],
        hovertemplate="%{text}, %{z:.1%} of the head's<extra></extra>",
    )
    at = chosen[0] * heads + chosen[1]
    choice = frame((-0.5, planes - 0.5), (at - 0.5, at + 0.5), theme.warm, 2)
    rules = [
        {
            "type": "line",
            "xref": "x domain",
            "x0": 0,
            "x1": 1,
            "y0": layer * heads - 0.5,
            "y1": layer * heads - 0.5,
            "line": {"color": theme.grid, "width": 1},
        }
        for layer in range(1, layers)
    ]
    every = max(1, heads // 2) if len(names) <= NAMED else heads * math.ceil(layers / LAYERS_NAMED)
    shown = np.arange(0, len(names), every)
    return figure(
        [heatmap],
        layout(
            theme,
            title="Planes that heads use (share of |q||k|)",
            x="tokens per turn",
            y="head",
            height=height,
            shapes=[*rules, choice],
            hovermode="closest",
            xaxis={**PLAIN, **_waves(wavelength, 6)},
            yaxis={
                **PLAIN,
                "tickvals": shown,
                "ticktext": [names[i] for i in shown],
                "range": [len(names) - 0.5, -0.5],
            },
        ),
    )


def uses(
    strength: np.ndarray, spread: np.ndarray, wavelength: np.ndarray, title: str, theme: Theme, height: int = 420
) -> go.Figure:
    """One head's planes, [P] each: how far each could move a score, and how far it tells the keys of a query apart."""
    where = np.arange(len(strength))
    names = [f"plane {j}, {wave:,.4g} tokens a turn" for j, wave in zip(where, wavelength)]
    bars = [
        dict(
            type="bar",
            x=where,
            y=np.asarray(values, np.float32),
            name=name,
            customdata=names,
            marker={"color": colour, "line": {"width": 0}},
            hovertemplate="%{customdata}: %{y:.5f}<extra>" + name + "</extra>",
        )
        for name, values, colour in (("|q||k|", strength, theme.muted), ("std over keys", spread, theme.accent))
    ]
    return figure(
        bars,
        layout(
            theme,
            title=title,
            x="tokens per turn",
            y="score",
            height=height,
            barmode="group",
            bargap=0.25,
            showlegend=True,
            xaxis={**PLAIN, **_waves(wavelength, 6)},
            margin={"l": 8, "r": 8, "t": 58, "b": 8},
        ),
    )


def by_distance(
    curves: dict[str, tuple[np.ndarray, np.ndarray]], title: str, theme: Theme, height: int = 420
) -> go.Figure:
    """Mean score by distance in tokens, a colour per rotation: measured pairs as a line with dots, all pairs as a thin
    line.

    Each curve is a pair of [N]: the text's pairs that stand so far apart, and what every pair of the text would score
    there.
    """
    colours, traces = (theme.accent, theme.muted, theme.warm), []
    for (name, (measured, every)), colour in zip(curves.items(), colours):
        style: dict[str, Any] = {"type": "scatter", "x": np.arange(len(measured)), "legendgroup": name}
        traces += [
            {
                **style,
                "y": np.asarray(every, np.float32),
                "mode": "lines",
                "line": {"color": colour, "width": 1, "dash": "dot"},
                "showlegend": False,
                "hovertemplate": "%{x} apart, all pairs put there: %{y:.4f}<extra>" + name + "</extra>",
            },
            {
                **style,
                "y": np.asarray(measured, np.float32),
                "mode": "lines+markers" if len(measured) < 80 else "lines",
                "marker": {"size": 5},
                "line": {"color": colour, "width": 2},
                "name": name,
                "hovertemplate": "%{x} apart: mean score %{y:.4f}<extra>" + name + "</extra>",
            },
        ]
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="distance (tokens back)",
            y="mean score q·k/√d",
            height=height,
            showlegend=True,
            margin={"l": 8, "r": 8, "t": 58, "b": 8},
            yaxis={"zeroline": True, "zerolinecolor": theme.muted},
        ),
    )


def _waves(wavelength: np.ndarray, most: int) -> dict[str, Any]:
    """Wavelengths under the planes, thinned out where they would not fit."""
    shown = np.arange(0, len(wavelength), max(1, -(-len(wavelength) // most)))
    return {"tickvals": shown, "ticktext": [turn(float(wavelength[j])) for j in shown], "tickangle": 0}

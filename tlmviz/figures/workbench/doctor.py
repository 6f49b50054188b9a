"""Pictures of the page Doctor: the errors of all steps in order, and the numbers by which a cause is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, colorbar, figure, layout, points_by, scale

if TYPE_CHECKING:
    from tlmviz.analysis.workbench.doctor.proof import Proof

LEAST, MOST = -8, 0  # powers of ten of the errors that have colours
HEIGHT = 350
CELLS = ("seen by neither", "seen by both", "seen by B alone", "seen by A alone")


def steps_map(
    names: Sequence[str], errors: np.ndarray, first: tuple[int, int] | None, theme: Theme, *, title: str
) -> go.Figure:
    """Errors [L + 2, P] of the steps `names` on a logarithmic scale, in order from left to right and down; `first` is
    framed."""
    rows = ["before", *map(str, range(len(errors) - 2)), "after"]
    shown = [i for i in range(len(rows)) if np.isfinite(errors[i]).any() or 0 < i < len(rows) - 1]
    with np.errstate(divide="ignore"):
        powers = np.log10(errors[shown]).clip(LEAST, MOST)
    said = [[f"{rows[i]}, {name}: {errors[i, j]:.3g}" for j, name in enumerate(names)] for i in shown]
    bar = colorbar(theme, tickvals=[-8, -6, -4, -2, 0], ticktext=["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "1"], nticks=None)
    parts = [
        {
            "type": "heatmap",
            "z": np.asarray(powers, np.float32),
            "zmin": LEAST,
            "zmax": MOST,
            "colorscale": scale((theme.missing, *theme.sequential[1:])),  # no error is no missing step
            "colorbar": bar,
            "text": said,
            "hovertemplate": "layer %{text}<extra></extra>",
            "hoverongaps": False,
            "xgap": 1,
            "ygap": 1,
        }
    ]
    if first is not None:
        marker = {"symbol": "square-open", "size": 15, "color": theme.warm, "line": {"width": 3}}
        parts.append(
            {
                "type": "scatter",
                "x": [first[1]],
                "y": [shown.index(first[0])],
                "mode": "markers",
                "marker": marker,
                "hoverinfo": "skip",
            }
        )
    xaxis = {"tickvals": np.arange(len(names)), "ticktext": list(names), "tickangle": -60, "showgrid": False}
    every = max(1, len(shown) // 16)
    yaxis = {
        "tickvals": np.arange(len(shown))[::every],
        "ticktext": [rows[i] for i in shown][::every],
        "autorange": "reversed",
        "showgrid": False,
        "zeroline": False,
    }
    return figure(
        parts, layout(theme, title=title, y="layer", height=HEIGHT, xaxis={**xaxis, "zeroline": False}, yaxis=yaxis)
    )


def proof(found: Proof, cause: str, value: float | str | None, theme: Theme, *, title: str) -> go.Figure:
    """The picture of one kind of proof."""
    return KINDS[found.kind](found, cause, value, theme, title)


Fit = Callable[[np.ndarray, float], np.ndarray]
# What explains B's numbers by A's.
FITS: dict[str, Fit] = {
    "scale": lambda x, value: value * x,
    "soft-cap": lambda x, value: value * np.tanh(x / value),
    "sink": lambda x, value: np.logaddexp(x, value),
    "embedding scale": lambda x, value: value * x,
    "logit scale": lambda x, value: value * x,
    "logit soft-cap": lambda x, value: value * np.tanh(x / value),
}
AXES = {
    "scores": ("score in A", "score in B"),
    "sums": ("log-sum-exp in A", "log-sum-exp in B"),
    "values": ("number in A", "number in B"),
}


def _scatter(found: Proof, cause: str, value: float | str | None, theme: Theme, title: str) -> go.Figure:
    ends = np.linspace(found.x.min(initial=0), found.x.max(initial=0), 100)
    parts = [
        _line(ends, ends, theme.muted, "equal", "dot"),
        {
            "type": points_by(len(found.x)),
            "x": np.asarray(found.x, np.float32),
            "y": np.asarray(found.y, np.float32),
            "mode": "markers",
            "marker": {"size": 4, "color": theme.accent, "opacity": 0.55},
            "name": "measured",
            "hovertemplate": "A %{x:.4g}, B %{y:.4g}<extra></extra>",
        },
    ]
    if cause in FITS and isinstance(value, float):
        parts.append(_line(ends, FITS[cause](ends, value), theme.warm, f"{cause} {value:.4g}"))
    x, y = AXES[found.kind]
    return figure(parts, layout(theme, title=title, x=x, y=y, height=HEIGHT, showlegend=True, legend=_LEGEND))


_LEGEND = {"orientation": "h", "y": -0.22, "yanchor": "top", "x": 0}


def _line(x: np.ndarray, y: np.ndarray, color: str, name: str, dash: str = "solid") -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": np.asarray(x, np.float32),
        "y": np.asarray(y, np.float32),
        "mode": "lines",
        "line": {"color": color, "width": 1.6, "dash": dash},
        "name": name,
        "hoverinfo": "skip",
    }


def _points(x: np.ndarray, y: np.ndarray, color: str, name: str, mode: str = "markers") -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": np.asarray(x, np.float32),
        "y": np.asarray(y, np.float32),
        "mode": mode,
        "marker": {"size": 7, "color": color},
        "line": {"color": color, "width": 1.2},
        "name": name,
        "hovertemplate": f"plane %{{x}}: %{{y:.4g}}<extra>{name}</extra>",
    }


def _angles(found: Proof, cause: str, value: float | str | None, theme: Theme, title: str) -> go.Figure:
    planes = np.arange(len(found.x))
    parts = [
        _points(planes, found.x, theme.muted, "expected", "lines+markers"),
        _points(planes, found.y.clip(min=1e-9), theme.warm, "measured in B", "lines+markers"),
    ]
    return figure(
        parts,
        layout(
            theme,
            title=title,
            x="plane",
            y="radians a token",
            height=HEIGHT,
            showlegend=True,
            legend=_LEGEND,
            yaxis={"type": "log", "exponentformat": "power", "dtick": 1},
        ),
    )


def _ahead(found: Proof, cause: str, value: float | str | None, theme: Theme, title: str) -> go.Figure:
    planes, moved = np.arange(len(found.x)), float(value) if isinstance(value, float) else 0.0
    expected = np.angle(np.exp(1j * moved * found.x))
    parts = [
        _points(planes, expected, theme.muted, f"{moved:.0f} positions", "lines+markers"),
        _points(planes, found.y, theme.warm, "measured in B"),
    ]
    return figure(
        parts,
        layout(theme, title=title, x="plane", y="radians ahead of A", height=HEIGHT, showlegend=True, legend=_LEGEND),
    )


def _cells(found: Proof, cause: str, value: float | str | None, theme: Theme, title: str) -> go.Figure:
    colors = [theme.page, theme.grid, theme.warm, theme.accent]
    steps = [[edge / 4, color] for number, color in enumerate(colors) for edge in (number, number + 1)]
    names = [[CELLS[int(cell)] for cell in row] for row in found.x]
    cells = {
        "type": "heatmap",
        "z": np.asarray(found.x, np.float32),
        "x0": -found.before,
        "dx": 1,
        "zmin": -0.5,
        "zmax": 3.5,
        "colorscale": steps,
        "showscale": False,
        "text": names,
        "hovertemplate": "query %{y}, key %{x}: %{text}<extra></extra>",
    }
    yaxis = {"autorange": "reversed", "showgrid": False, "zeroline": False}
    return figure(
        [cells],
        layout(
            theme,
            title=title,
            x="key",
            y="query",
            height=HEIGHT,
            xaxis={"showgrid": False, "zeroline": False},
            yaxis=yaxis,
        ),
    )


def _shares(found: Proof, cause: str, value: float | str | None, theme: Theme, title: str) -> go.Figure:
    rows = np.atleast_2d(found.y).clip(min=1e-9)
    names = ("W_Q", "W_K", "W_V") if len(rows) == 3 else (str(value) if isinstance(value, str) else cause,)
    colors = (theme.accent, theme.warm, theme.muted)
    bars = [
        {
            "type": "scatter",
            "x": found.x,
            "y": np.asarray(row, np.float32),
            "mode": "lines+markers",
            "marker": {"size": 9, "color": color},
            "line": {"color": color, "width": 1.2},
            "name": name,
            "hovertemplate": f"layer %{{x}}: %{{y:.3g}}<extra>{name}</extra>",
        }
        for row, name, color in zip(rows, names, colors)
    ]
    axis = {"type": "log", "exponentformat": "power", "dtick": 1 if rows.max() / rows.min() < 1e6 else 2}
    return figure(
        bars,
        layout(
            theme,
            title=title,
            x="layer",
            y="relative difference",
            height=HEIGHT,
            showlegend=True,
            legend=_LEGEND,
            xaxis={"dtick": max(1, len(found.x) // 10)},
            yaxis=axis,
        ),
    )


KINDS: dict[str, Callable[[Proof, str, float | str | None, Theme, str], go.Figure]] = {
    **dict.fromkeys(AXES, _scatter),
    "angles": _angles,
    "ahead": _ahead,
    "cells": _cells,
    "shares": _shares,
}

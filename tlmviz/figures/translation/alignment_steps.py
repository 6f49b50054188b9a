"""Coverage building up: what was looked at before a step, what the step looks at, and how much of that is the same."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Layer, Theme, layout, note, token_labels, walked

FORMS = ("sum", "average")
SHARES = {"sum": (0.7, 0.95), "average": (0.42, 0.62), "loss": (0.08, 0.26)}  # of the figure's height


def coverage_steps(
    attention: np.ndarray,
    vectors: dict[str, np.ndarray],
    source: list[str],
    target: list[str],
    at: int,
    theme: Theme,
    height: int = 540,
) -> go.Figure:
    """Attention [T, S] step by step, over coverage `vectors` [T, S] of the forms "sum" and "average".

    A slider walks the steps in the browser; step `at` is shown first. Below, covloss of both forms at every step.
    """
    a = np.asarray(attention, np.float32)
    coverage = {form: np.asarray(vectors[form], np.float32) for form in FORMS}
    losses = {form: np.minimum(a, coverage[form]).sum(1) for form in FORMS}
    parts = {"c before": theme.warm, "a now": theme.accent, "overlap": theme.ink}
    words = token_labels(target)
    key = ", ".join(f'<span style="color:{color}">■</span> {name}' for name, color in parts.items())
    drawn = layout(
        theme,
        title="Step by step: " + key,
        height=height,
        margin={"l": 34, "r": 8, "t": 34, "b": 58},
        barmode="overlay",
        bargap=0,
        annotations=[note("covloss at every step: — sum, ··· average", 0, SHARES["loss"][1], theme.muted)],
        hovermode="x",
        dragmode=False,
    )
    del drawn["xaxis"], drawn["yaxis"]
    traces: list[dict[str, Any] | Layer] = [
        *_bars(a, coverage, source, parts),
        _cursor(losses, theme),
        _sums(losses, theme),
        *_losses(losses, words, theme),
    ]
    return walked(
        traces,
        range(len(a)),
        [f"{t + 1} of {len(a)}, “{word}”" for t, word in enumerate(words)],
        {**drawn, **_axes(a, coverage, source, target, theme)},
        at,
        theme,
        prefix="step ",
        duration=500,
        left=0.3,  # beside the buttons, also on half a page's width
    )


def _bars(a: np.ndarray, coverage: dict[str, np.ndarray], source: list[str], parts: dict[str, str]) -> list[Layer]:
    """Three bars over each other at every source token, once for each form: coverage, attention, what both share."""
    layers = []
    for number, form in enumerate(FORMS, start=1):
        values = (coverage[form], a, np.minimum(a, coverage[form]))  # in the order of `parts`
        for (name, color), heights in zip(parts.items(), values):
            style = {
                "x": np.arange(a.shape[1]),
                "xaxis": f"x{number}",
                "yaxis": f"y{number}",
                "name": name,
                "width": 1.0,
                "marker": {"color": color, "opacity": 0.75 if name == "overlap" else 0.38, "line": {"width": 0}},
                "customdata": token_labels(source, 18),
                "hovertemplate": "“%{customdata}” %{y:.5f}<extra>" + name + "</extra>",
            }
            layers.append(Layer(style, partial(_bar, heights)))
    return layers


def _bar(heights: np.ndarray, t: int) -> dict[str, Any]:
    return {"type": "bar", "y": heights[t]}


def _cursor(losses: dict[str, np.ndarray], theme: Theme) -> Layer:
    """Circles on both lines of covloss at the step."""
    style = {
        "xaxis": "x3",
        "yaxis": "y3",
        "mode": "markers",
        "hoverinfo": "skip",
        "marker": {"size": 11, "color": "rgba(0,0,0,0)", "line": {"color": theme.warm, "width": 2.5}},
    }
    return Layer(style, lambda t: {"type": "scatter", "x": [t, t], "y": [float(losses[form][t]) for form in FORMS]})


def _sums(losses: dict[str, np.ndarray], theme: Theme) -> Layer:
    """covloss of the step as numbers, above the bars of each form."""
    style = {
        "x": [0, 0],
        "y": [SHARES["sum"][1], SHARES["average"][1]],
        "xaxis": "x4",
        "yaxis": "y4",
        "mode": "text",
        "textposition": "top right",
        "textfont": {"size": 11.5, "color": theme.ink},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }

    def moving(t: int) -> dict[str, Any]:
        summed = f"c summed (Eq. 48): covloss = <b>{losses['sum'][t]:.4f}</b>"
        averaged = f"c averaged (Eq. 50): covloss = <b>{losses['average'][t]:.4f}</b>"
        return {"type": "scatter", "text": [summed, averaged]}

    return Layer(style, moving)


def _losses(losses: dict[str, np.ndarray], words: list[str], theme: Theme) -> list[dict[str, Any]]:
    """covloss of both forms at every step."""
    lines = {"sum": {"color": theme.ink, "width": 2}, "average": {"color": theme.muted, "width": 2, "dash": "dot"}}
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": np.arange(len(words)),
            "y": losses[form],
            "xaxis": "x3",
            "yaxis": "y3",
            "line": lines[form],
            "customdata": words,
            "hovertemplate": f"“%{{customdata}}”, {form}: %{{y:.4f}}<extra></extra>",
        }
        for form in FORMS
    ]


def _axes(
    a: np.ndarray, coverage: dict[str, np.ndarray], source: list[str], target: list[str], theme: Theme
) -> dict[str, dict[str, Any]]:
    """Axes of the bars of each form, of covloss, and hidden ones of the numbers."""
    axes = {}
    for number, form in enumerate(FORMS, start=1):
        names = _names(source, form == "average")
        top = 1.05 * max(float(coverage[form].max()), float(a.max()), 1e-6)
        share = {"domain": list(SHARES[form]), "anchor": f"x{number}"}
        axes[f"xaxis{number}"] = _axis(theme, anchor=f"y{number}", range=[-0.5, a.shape[1] - 0.5], **names)
        axes[f"yaxis{number}"] = _axis(theme, **share, nticks=4, range=[0, top])
    hidden = {"range": [0, 1], "visible": False, "fixedrange": True}
    return axes | {
        "xaxis3": _axis(theme, anchor="y3", range=[-0.5, len(a) - 0.5], **_names(target, True)),
        "yaxis3": _axis(theme, domain=list(SHARES["loss"]), anchor="x3", range=[-0.06, 1.12], nticks=3),
        "xaxis4": {**hidden, "anchor": "y4"},
        "yaxis4": {**hidden, "anchor": "x4", "domain": [0, 1]},
    }


def _names(tokens: list[str], shown: bool) -> dict[str, Any]:
    """Token names under an axis, those that have room; or none."""
    step = -(-len(tokens) // 28)
    return {
        "tickvals": np.arange(0, len(tokens), step),
        "showticklabels": shown,
        "tickangle": -45,
        "ticktext": token_labels(tokens[::step], 10),
    }


def _axis(theme: Theme, **more: Any) -> dict[str, Any]:
    return {
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "linecolor": theme.grid,
        "showline": True,
        "tickfont": {"size": 10, "color": theme.muted},
        **more,
    }

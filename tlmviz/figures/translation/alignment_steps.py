"""Coverage building up: what was looked at before a step, what the step looks at, and how much of that is the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, animated, layout, token_label

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
    c = {form: np.asarray(vectors[form], np.float32) for form in FORMS}
    losses = {form: np.minimum(a, c[form]).sum(1) for form in FORMS}
    where, names, written = (
        np.arange(a.shape[1]),
        [token_label(s, 18) for s in source],
        [token_label(t) for t in target],
    )
    parts = {"c before": theme.warm, "a now": theme.accent, "overlap": theme.ink}

    def moving(t: int, fixed: bool = False) -> list[dict[str, Any]]:
        """What a frame changes; with `fixed`, the whole traces."""
        drawn = []
        for number, form in enumerate(FORMS):
            heights = (c[form][t], a[t], np.minimum(a[t], c[form][t]))
            for (name, color), values in zip(parts.items(), heights):
                bars = {"type": "bar", "y": values}
                style = {
                    "x": where,
                    "xaxis": f"x{number + 1}",
                    "yaxis": f"y{number + 1}",
                    "name": name,
                    "width": 1.0,
                    "marker": {
                        "color": color,
                        "opacity": 0.75 if name.startswith("overlap") else 0.38,
                        "line": {"width": 0},
                    },
                    "customdata": names,
                    "hovertemplate": "“%{customdata}” %{y:.5f}<extra>" + name + "</extra>",
                }
                drawn.append({**bars, **(style if fixed else {})})
        cursor = {"type": "scatter", "x": [t, t], "y": [float(losses[form][t]) for form in FORMS]}
        style = {
            "xaxis": "x3",
            "yaxis": "y3",
            "mode": "markers",
            "hoverinfo": "skip",
            "marker": {"size": 11, "color": "rgba(0,0,0,0)", "line": {"color": theme.warm, "width": 2.5}},
        }
        drawn.append({**cursor, **(style if fixed else {})})
        said = {
            "type": "scatter",
            "text": [
                f"c summed (Eq. 48): covloss = <b>{losses['sum'][t]:.4f}</b>",
                f"c averaged (Eq. 50): covloss = <b>{losses['average'][t]:.4f}</b>",
            ],
        }
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
        drawn.append({**said, **(style if fixed else {})})
        return drawn

    traces = moving(at, fixed=True)
    shapes = {
        "sum": {"color": theme.ink, "width": 2},
        "average": {"color": theme.muted, "width": 2, "dash": "dot"},
    }
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": np.arange(len(a)),
            "y": losses[form],
            "xaxis": "x3",
            "yaxis": "y3",
            "line": shapes[form],
            "customdata": written,
            "hovertemplate": f"“%{{customdata}}”, {form}: %{{y:.4f}}<extra></extra>",
        }
        for form in FORMS
    ]
    axes = {
        f"{kind}axis{number}": value
        for number, form in enumerate(FORMS, start=1)
        for kind, value in (
            (
                "x",
                _axis(
                    theme,
                    anchor=f"y{number}",
                    range=[-0.5, len(where) - 0.5],
                    **_names(source, form == "average"),
                ),
            ),
            (
                "y",
                _axis(
                    theme,
                    domain=list(SHARES[form]),
                    anchor=f"x{number}",
                    nticks=4,
                    range=[0, 1.05 * max(float(c[form].max()), float(a.max()), 1e-6)],
                ),
            ),
        )
    }
    hidden = {"range": [0, 1], "visible": False, "fixedrange": True}
    axes |= {
        "xaxis3": _axis(theme, anchor="y3", range=[-0.5, len(a) - 0.5], **_names(target, True)),
        "yaxis3": _axis(theme, domain=list(SHARES["loss"]), anchor="x3", range=[-0.06, 1.12], nticks=3),
        "xaxis4": {**hidden, "anchor": "y4"},
        "yaxis4": {**hidden, "anchor": "x4", "domain": [0, 1]},
    }
    key = ", ".join(f'<span style="color:{color}">■</span> {name}' for name, color in parts.items())
    note = {
        "text": "covloss at every step: — sum, ··· average",
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": SHARES["loss"][1],
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 11, "color": theme.muted},
    }
    drawn = layout(
        theme,
        title="Step by step: " + key,
        height=height,
        margin={"l": 34, "r": 8, "t": 34, "b": 58},
        barmode="overlay",
        bargap=0,
        annotations=[note],
        hovermode="x",
        dragmode=False,
    )
    del drawn["xaxis"], drawn["yaxis"]
    labels = [f"{t + 1} of {len(a)}, “{word}”" for t, word in enumerate(written)]
    count = len(traces)
    return animated(
        [*traces, *lines],
        {**drawn, **axes},
        [moving(t) for t in range(len(a))],
        labels,
        list(range(count)),
        at,
        theme,
        prefix="step ",
        duration=500,
        left=0.3,  # beside the buttons, also on half a page's width
    )


def _names(tokens: list[str], shown: bool) -> dict[str, Any]:
    """Token names under an axis, those that have room; or none."""
    step = -(-len(tokens) // 28)
    return {
        "tickvals": np.arange(0, len(tokens), step),
        "showticklabels": shown,
        "tickangle": -45,
        "ticktext": [token_label(token, 10) for token in tokens[::step]],
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

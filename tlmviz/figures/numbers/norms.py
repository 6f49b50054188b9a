"""Charts of the pages Norms and Training: a mean left standing, gradients through depth, first steps, losses under
dropout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from tlmviz.figures import Theme, figure, layout, log_ticks

if TYPE_CHECKING:
    from tlmviz.analysis.numbers.dropout import Losses
    from tlmviz.analysis.numbers.norms import Offset
    from tlmviz.analysis.numbers.warmup import Logged

FIXED = {"fixedrange": True, "zeroline": False}
LEGEND = {"orientation": "h", "y": -0.3, "x": 0}


def offsets(found: Mapping[str, Offset], theme: Theme, *, title: str) -> go.Figure:
    """For each norm the error of the product that reads it, without the mean and with one bias in its place, in
    percent."""
    names = list(found)
    traces = [
        _dots(names, [100 * each.dropped for each in found.values()], theme.muted, "mean taken off", "circle-open"),
        _dots(names, [100 * each.fixed for each in found.values()], theme.warm, "one bias for all tokens", "circle"),
        _dots(names, [0.0 for _ in names], theme.accent, "a bias of its own for each token", "diamond"),
    ]
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="norm",
            y="error of the product (%)",
            height=280,
            showlegend=True,
            legend={**LEGEND, "y": -0.55, "font": {"color": theme.muted, "size": 11}},
            xaxis={**FIXED, "type": "category", "tickangle": -35, "nticks": 26},
            yaxis={**FIXED, "rangemode": "tozero"},
        ),
    )


def _dots(x: list[str], y: list[float], color: str, name: str, symbol: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": x,
        "y": np.asarray(y, np.float32),
        "mode": "markers",
        "marker": {"color": color, "size": 8, "symbol": symbol},
        "name": name,
        "hovertemplate": f"%{{x}}, {name}<br>error %{{y:.3g}} %<extra></extra>",
    }


def run_style(run: Logged, theme: Theme) -> tuple[str, dict[str, Any]]:
    """A run's name and line: post-norm warm, pre-norm cool, without warm-up dashed."""
    color = theme.warm if run.placement == "post" else theme.accent
    how = f"warm-up of {run.warmup}" if run.warmup else "no warm-up"
    return f"{run.placement}-norm, {how}", {"color": color, "width": 2.5, "dash": "solid" if run.warmup else "dash"}


def first_steps(runs: Sequence[Logged], moment: int, theme: Theme, *, title: str) -> go.Figure:
    """Training loss of every run, each point the mean of the last ten steps; the moment marked."""
    traces = []
    for run in runs:
        name, line = run_style(run, theme)
        smooth = np.array([run.loss[max(0, i - 9) : i + 1].mean() for i in range(len(run.loss))])
        traces.append(_line(np.arange(1, len(smooth) + 1), smooth, name, line, "step %{x}: %{y:.3f} nats"))
    parts = layout(
        theme,
        title=title,
        x="training step",
        y="training loss (nats per token)",
        height=350,
        showlegend=True,
        legend={**LEGEND, "font": {"color": theme.muted, "size": 11}},
        xaxis=FIXED,
        yaxis=FIXED,
    )
    made = figure(traces, parts)
    made.add_vline(x=moment, line={"color": theme.muted, "width": 1, "dash": "dot"})
    return made


def through_depth(
    lines: Mapping[str, tuple[np.ndarray, dict[str, Any]]], places: Sequence[str], theme: Theme, *, title: str, y: str
) -> go.Figure:
    """Norms of gradients against depth, on a logarithmic axis; each line by name with its style."""
    values = [value for value, _ in lines.values()]
    traces = [
        _line(np.arange(len(value)), value, name, line, "%{customdata}: %{y:.3g}", places)
        for name, (value, line) in lines.items()
    ]
    for trace in traces:
        trace["mode"] = "lines+markers"
    few = len(places) <= 18
    axis = {"tickvals": list(range(len(places))), "ticktext": list(places), "tickangle": -45} if few else {}
    return figure(
        traces,
        layout(
            theme,
            title=title,
            x="from the input to the output",
            y=y,
            height=350,
            showlegend=True,
            legend={**LEGEND, "y": -0.62 if few else -0.3, "font": {"color": theme.muted, "size": 11}},
            xaxis={**FIXED, **axis},
            yaxis={**FIXED, "type": "log", **log_ticks(*values)},
        ),
    )


def masked_losses(found: Losses, theme: Theme, *, title: str) -> go.Figure:
    """How often a mask gives which loss; lines at the loss without dropout, the masks' mean, and their mean
    prediction's."""
    counts, edges = np.histogram(found.masked, bins=18)
    bars = {
        "type": "bar",
        "x": ((edges[1:] + edges[:-1]) / 2).astype(np.float32),
        "y": counts.astype(np.float32),
        "width": float(edges[1] - edges[0]),
        "marker": {"color": theme.accent, "line": {"width": 0}},
        "opacity": 0.6,
        "name": "losses under a mask",
        "hovertemplate": "about %{x:.3f} nats: %{y} masks<extra></extra>",
    }
    top = float(counts.max())
    marks = (
        ("without dropout", found.plain, theme.ink, "solid"),
        ("mean of the masks", float(found.masked.mean()), theme.accent, "dash"),
        ("mean prediction", found.averaged, theme.warm, "dot"),
    )
    lines = [
        _line([x, x], [0, top], name, {"color": color, "width": 2.5, "dash": dash}, "%{x:.4f} nats per token")
        for name, x, color, dash in marks
    ]
    return figure(
        [bars, *lines],
        layout(
            theme,
            title=title,
            x="loss (nats per token)",
            y="masks",
            height=270,
            bargap=0,
            showlegend=True,
            legend={**LEGEND, "y": -0.36, "font": {"color": theme.muted, "size": 11}},
            xaxis=FIXED,
            yaxis=FIXED,
        ),
    )


def _line(
    x: ArrayLike, y: ArrayLike, name: str, line: dict[str, Any], says: str, custom: Sequence[str] | None = None
) -> dict[str, Any]:
    trace = {
        "type": "scatter",
        "x": np.asarray(x, np.float32),
        "y": np.asarray(y, np.float32),
        "mode": "lines",
        "line": line,
        "name": name,
        "hovertemplate": f"{name}<br>{says}<extra></extra>",
    }
    return trace if custom is None else {**trace, "customdata": list(custom)}

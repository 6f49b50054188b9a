"""Loss beyond the training length under several schemes, and what each scheme does to RoPE's frequencies."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, faded, figure, layout, shaded, turn, upright

POINTS = 1200  # of one line
BELOW = {
    "orientation": "h",
    "x": 0,
    "xanchor": "left",
    "yref": "container",
    "y": 0,
    "yanchor": "bottom",
    "font": {"size": 11.5},
}
COLORS = (HEADS[0], HEADS[1], HEADS[2], HEADS[3], HEADS[6], HEADS[7], HEADS[5])


def loss_lines(
    curves: Mapping[str, np.ndarray],
    context: int,
    theme: Theme,
    *,
    width: int,
    colors: Mapping[str, str],
    title: str,
    start: int = 0,
    dotted: str | None = None,
    dashed: Collection[str] = (),
    change: bool = False,
    mark: str = "beyond training ({:,} tokens)",
    end: str = "",
    height: int = 360,
) -> go.Figure:
    """Running means over `width` tokens of losses in nats; entry i of a curve is the loss of token i + 1 + `start`.

    What lies beyond `context` tokens is shaded and named `mark`, with the words `end` below. The curve named `dotted`
    lies on top; with `change` it is subtracted from all, token by token. Those that may hide another are `dashed`.
    """
    lines, shapes, notes, sign = [], [], [], "+" if change else ""
    length = start + 1 + max(len(loss) for loss in curves.values())
    for name in sorted(curves, key=lambda name: name == dotted):
        loss = curves[name]
        if change:
            assert dotted is not None  # what the change is from
            loss = loss - curves[dotted][: len(loss)]
        x, y = running_mean(loss, width, start)
        dash = "dot" if name == dotted else "dash" if name in dashed else "solid"
        lines.append(_loss_line(name, x, y, colors[name], dash, sign))
    if length > context:
        shapes = [shaded(context, length, theme.warm, 0.09), upright(context, color=theme.warm, width=1.5)]
        notes = _limit_notes(context, mark.format(context), end, theme)
    return figure(
        lines,
        layout(
            theme,
            title=f"{title} (nats per token, mean of {width})",
            x="token",
            y="nats",
            height=height,
            shapes=shapes,
            annotations=notes,
            showlegend=True,
            legend=BELOW,
            margin={"l": 8, "r": 8, "t": 48 if shapes and mark else 32, "b": 8},
            xaxis={"range": [start, length], "tickformat": ",", "showgrid": False},
            yaxis={"zeroline": change, "zerolinecolor": theme.muted},
        ),
    )


def _loss_line(name: str, x: np.ndarray, y: np.ndarray, color: str, dash: str, sign: str) -> dict[str, Any]:
    """One curve; its hover writes numbers with `sign`, a format's."""
    step = max(1, len(x) // POINTS)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x[::step],
        "y": y[::step],
        "line": {"color": color, "width": 2, "dash": dash},
        "hovertemplate": f"{name}: %{{y:{sign}.3f}} nats around token %{{x:,.0f}}<extra></extra>",
    }


def _limit_notes(context: int, mark: str, end: str, theme: Theme) -> list[dict[str, Any]]:
    """The words at the end of the training length, `mark` above the curves and `end` below it; empty ones are left
    out."""
    note = {"x": context, "y": 1, "yref": "paper", "xanchor": "left", "showarrow": False}
    return [
        {**note, "yanchor": anchor, "text": f" {words}", "font": {"size": 11.5, "color": color}, "bgcolor": ground}
        for anchor, words, color, ground in (
            ("bottom", mark, theme.warm, None),
            ("top", end, theme.ink, faded(theme.page, 0.7)),
        )
        if words
    ]


def running_mean(loss: np.ndarray, width: int, start: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Where the middle of each span of `width` losses lies, and their mean; a shorter curve gives one point."""
    loss = np.asarray(loss, np.float64)
    width = max(1, min(width, len(loss)))
    sums = np.concatenate(([0.0], np.cumsum(loss)))
    mean = (sums[width:] - sums[:-width]) / width if len(loss) else np.zeros(0)
    where = start + np.arange(len(mean)) + (width + 1) / 2
    return where.astype(np.float32), mean.astype(np.float32)


def frequencies(
    ratios: Mapping[str, np.ndarray],
    wavelengths: np.ndarray,
    context: int,
    theme: Theme,
    *,
    colors: Mapping[str, str],
    dashed: Collection[str] = (),
    height: int = 360,
) -> go.Figure:
    """Every plane's new frequency over its own, one line per scheme; planes slower than the training length are shaded.

    `wavelengths` are the own ones, in tokens per turn, [P].
    """
    planes = np.arange(len(wavelengths))
    lines = [_ratio_line(name, ratio, wavelengths, colors[name], name in dashed) for name, ratio in ratios.items()]
    low = min(0.5, *(float(ratio.min()) for ratio in ratios.values()))
    shapes, notes = [], []
    slow = planes[wavelengths > context]
    if len(slow):
        shapes = [shaded(slow[0] - 0.5, len(planes) - 0.5, theme.grid, 0.55)]
        notes = [_slow_note(slow[0] - 0.5, context, theme)]
    ticks = [1 / n for n in (1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512, 1024) if 1 / n > low / 1.3]
    shown = planes[:: max(1, -(-len(planes) // 9))]
    return figure(
        lines,
        layout(
            theme,
            title="Frequency of each plane (× its own)",
            x="plane, and its tokens per turn",
            height=height,
            shapes=shapes,
            annotations=notes,
            margin={"l": 8, "r": 8, "t": 32, "b": 8},
            xaxis={
                "range": [-0.5, len(planes) - 0.5],
                "showgrid": False,
                "zeroline": False,
                "tickvals": shown,
                "tickangle": 0,
                "ticktext": [f"{j}<br>{turn(wavelengths[j])}" for j in shown],
            },
            yaxis={
                "type": "log",
                "range": [1.22 * np.log10(low), 0.06],
                "tickvals": ticks,
                "ticktext": [f"1/{1 / tick:g}" if tick < 1 else "1" for tick in ticks],
                "tickfont": {"color": theme.ink},
            },
        ),
    )


def _ratio_line(name: str, ratio: np.ndarray, wavelengths: np.ndarray, color: str, dashed: bool) -> dict[str, Any]:
    """One scheme's frequencies over the own ones, [P]; open circles on a dashed line let what lies below be seen."""
    planes = np.arange(len(wavelengths))
    hover = [
        f"{name}, plane {j}: × {ratio[j]:.4g}<br>{turn(wavelengths[j])} → {turn(wavelengths[j] / ratio[j])} tokens a "
        "turn"
        for j in planes
    ]
    dash, marker = ("dash", {"symbol": "circle-open", "size": 9}) if dashed else ("solid", {"size": 6})
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": planes,
        "y": ratio.astype(np.float32),
        "line": {"color": color, "width": 2, "dash": dash},
        "marker": {"color": color, **marker},
        "hovertext": hover,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _slow_note(x: float, context: int, theme: Theme) -> dict[str, Any]:
    """Names the planes that do not turn once in the training length; `x` is where they begin."""
    return {
        "x": x,
        "y": 0.02,
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "align": "left",
        "text": f" less than one turn<br> in {context:,} tokens",
        "font": {"size": 11, "color": theme.muted},
    }


def palette(names: list[str], theme: Theme, plain: str | None = None) -> dict[str, str]:
    """A colour for each name, by its place; `plain` is drawn like text."""
    others = [name for name in names if name != plain]
    first = {} if plain is None else {plain: theme.ink}
    return first | {name: COLORS[i % len(COLORS)] for i, name in enumerate(others)}

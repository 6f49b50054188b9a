"""The zoo's choices against their baseline: quality with the noise of seeds, and the cache that each needs."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, figure, layout, note, upright
from tlmviz.figures.written import number

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")
NEAR = 8  # spreads from the centre that the stretched part of the axis reaches: chance and what is close to it
NAME = 36  # characters of a name; the pointer shows the whole of it
SHARES = ((0.0, 0.64), (0.7, 1.0))  # of the width: the stretched part, and what lies beyond


def near(values: np.ndarray, band: tuple[float, float, float]) -> np.ndarray:
    """Which values are drawn on the stretched part of the axis; all, where the rest is not worth a second part."""
    low, centre, high = band
    found = np.abs(np.asarray(values, np.float64) - centre) <= NEAR * (high - centre)
    return found if found.any() and high > low else np.ones(len(values), bool)


def choices(
    names: list[str],
    groups: list[str],
    values: np.ndarray,
    band: tuple[float, float, float],
    theme: Theme,
    height: int = 430,
    limit: float = np.inf,
) -> go.Figure:
    """Held-out bits per byte of every choice, one line each from the baseline; `band` is (low, centre, high) of its
    seeds.

    Dotted lines stand at the `limit` from the centre, where better and worse begin. Dots are coloured and shaped by
    group, in the order in which the groups first appear. Values far from the band have an axis of their own at the
    right.
    """
    low, centre, high = band
    values, rows = np.asarray(values, np.float64), np.arange(len(names))
    close = near(values, band)
    inside = (values >= low) & (values <= high)
    hover = [
        f"{name}: {value:.4f} bits per byte, {number(value - centre, '+.4f')}"
        + (", within seed noise" if noise else "")
        for name, value, noise in zip(names, values, inside)
    ]
    limits = {"better": centre - limit, "worse": centre + limit} if np.isfinite(limit) else {}
    traces = [_distances(values, rows, close, centre, theme)]
    traces += _group_dots(groups, values, close, centre, hover, theme)
    drawn = layout(
        theme,
        title="Held-out bits per byte, lower is better",
        x="bits per byte",
        height=height,
        shapes=_noise(band, theme)
        + [{"type": "line", **upright(at, color=theme.warm, width=1, dash="dot")} for at in limits.values()],
        hovermode="closest",
        annotations=[
            _label(" seed noise", high, theme),
            *(_label(name, at, theme, foot=True) for name, at in limits.items()),
        ],
        showlegend=True,
        margin={"l": 8, "r": 16, "t": 64, "b": 8},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.05, "x": 1, "xanchor": "right"},
        yaxis={
            "tickvals": rows,
            "ticktext": [shorten(_short(name), NAME, placeholder=" …") for name in names],
            "range": [len(names) + 0.2, -0.5],  # below the last row stand the names of the lines
            "showgrid": False,
            "zeroline": False,
        },
        xaxis={
            "tickformat": ".3f",
            "zeroline": False,
            "nticks": 4,
            "tickangle": 0,
            "range": _span(values[close], (*band, *limits.values()), left=0.4),
        },
    )
    if not close.all():
        drawn["xaxis"]["domain"] = list(SHARES[0])
        drawn["xaxis2"] = _far_axis(drawn["xaxis"], values[~close], theme)
    return figure(traces, drawn)


def _group_dots(
    groups: list[str], values: np.ndarray, close: np.ndarray, centre: float, hover: list[str], theme: Theme
) -> list[dict[str, Any]]:
    """Dots of each group: those near the band on the stretched axis, the others on the one at the right."""
    traces, members = [], np.array(groups)
    for index, group in enumerate(dict.fromkeys(groups)):
        has_close = (close & (members == group)).any()
        for part, axis in ((close, "x"), (~close, "x2")):
            here = np.flatnonzero(part & (members == group))
            right = [values[i] >= centre and axis == "x" for i in here]
            traces.append(
                {
                    "type": "scatter",
                    "x": values[here],
                    "y": here,
                    "mode": "markers+text",
                    "name": group,
                    "xaxis": axis,
                    "showlegend": bool(len(here))
                    and (axis == "x" or not has_close)
                    and group not in ("baseline", "seed"),  # their rows are named so
                    "marker": _marker(index, 11),
                    "text": [_difference(values[i] - centre) for i in here],
                    "textfont": {"size": 10, "color": theme.muted},
                    "textposition": ["middle right" if beside else "middle left" for beside in right],
                    "customdata": [hover[i] for i in here],
                    "hovertemplate": "%{customdata}<extra></extra>",
                    "cliponaxis": False,
                }
            )
    return traces


def _difference(value: float) -> str:
    """With its sign, which what rounds to nothing has none of."""
    return number(value, "+.3f") if round(value, 3) else "0.000"


def _marker(group: int, size: float) -> dict[str, Any]:
    """Symbol and colour of a group, by its number."""
    return {"size": size, "symbol": SYMBOLS[group % len(SYMBOLS)], "color": HEADS[group % len(HEADS)]}


def _distances(values: np.ndarray, rows: np.ndarray, close: np.ndarray, centre: float, theme: Theme) -> dict[str, Any]:
    """A line from the band's centre to each value near it."""
    return {
        "type": "scatter",
        "mode": "lines",
        "hoverinfo": "skip",
        "line": {"color": theme.muted, "width": 1},
        "showlegend": False,
        "x": np.stack((np.full(close.sum(), centre), values[close], np.full(close.sum(), np.nan)), 1).ravel(),
        "y": np.repeat(rows[close], 3).astype(np.float32),
    }


def _far_axis(near_axis: dict[str, Any], values: np.ndarray, theme: Theme) -> dict[str, Any]:
    """The axis at the right, which holds the values far from the band."""
    return {
        **{name: near_axis[name] for name in ("gridcolor", "zeroline", "tickfont")},
        "domain": list(SHARES[1]),
        "anchor": "y",
        "range": _span(values, None),
        "tickformat": ".1f",
        "nticks": 3,
        "tickangle": 0,
        "title": {"text": "far away", "font": {"size": 12}},
        "showline": True,
        "linecolor": theme.grid,
    }


def _label(text: str, at: float, theme: Theme, foot: bool = False) -> dict[str, Any]:
    """Names the band above its right end, or a line at its `foot`."""
    return {
        "x": at,
        "y": 0 if foot else 1,
        "yref": "paper",
        "xanchor": "center" if foot else "left",
        "yanchor": "bottom",
        "showarrow": False,
        "text": text,
        "font": {"size": 11, "color": theme.warm},
    }


def _noise(band: tuple[float, float, float], theme: Theme) -> list[dict[str, Any]]:
    """The band of the seeds' noise, and a rule at its centre."""
    low, centre, high = band
    tall = {"yref": "paper", "y0": 0, "y1": 1}
    return [
        {
            **tall,
            "type": "rect",
            "x0": low,
            "x1": high,
            "fillcolor": theme.warm,
            "opacity": 0.16,
            "line": {"width": 0},
            "layer": "below",
        },
        {**tall, "type": "line", "x0": centre, "x1": centre, "line": {"color": theme.warm, "width": 1.5}},
    ]


def trade(
    labels: list[str],
    names: list[str],
    groups: list[str],
    cache: np.ndarray,
    values: np.ndarray,
    band: tuple[float, float, float],
    theme: Theme,
    height: int = 430,
) -> go.Figure:
    """Cache bytes per token against held-out bits per byte; `band` is the noise of seeds, (low, centre, high).

    Labels stand beside the dots, names in the hover. Choices far from the band are counted at the top: they would press
    all others into one line.
    """
    cache, values = np.asarray(cache, np.float64), np.asarray(values, np.float64)
    close = near(values, band)
    span = _span(values[close], band)
    texts, sides = _label_places(labels, cache, values, close, span)
    traces = []
    for index, group in enumerate(dict.fromkeys(groups)):
        here = np.flatnonzero(close & (np.array(groups) == group))
        traces.append(
            {
                "type": "scatter",
                "x": cache[here],
                "y": values[here],
                "mode": "markers+text",
                "name": group,
                "text": [texts[i] for i in here],
                "textposition": [sides[i] for i in here],
                "cliponaxis": False,
                "textfont": {"size": 10.5, "color": theme.ink},
                "customdata": [names[i] for i in here],
                "marker": _marker(index, 10),
                "hovertemplate": "%{customdata}: %{x:,.0f} bytes per token, %{y:.4f} bits per byte<extra></extra>",
            }
        )
    low, high = np.log10([cache.min(), cache.max()]) if len(cache) else (0.0, 1.0)
    pad = 0.12 * (high - low) + 0.08
    absent = "" if close.all() else f"{(~close).sum()} far away are not drawn"
    return figure(
        traces,
        layout(
            theme,
            title="What the cache keeps against what the model knows",
            x="cache bytes per token, all layers (float32)",
            y="bits per byte",
            height=height,
            shapes=[_noise_stripe(band, theme)],
            annotations=[note(absent, 1, 1, theme.muted, anchor=("right", "bottom"))],
            hovermode="closest",
            margin={"l": 8, "r": 16, "t": 64, "b": 8},
            xaxis={
                "type": "log",
                "range": [low - pad, high + pad],
                "tickvals": 2.0 ** np.arange(32),
                "tickformat": ",",
            },
            yaxis={"tickformat": ".3f", "zeroline": False, "range": span},
        ),
    )


def _noise_stripe(band: tuple[float, float, float], theme: Theme) -> dict[str, Any]:
    """The band of the seeds' noise over the whole width."""
    return {
        "type": "rect",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": band[0],
        "y1": band[2],
        "fillcolor": theme.warm,
        "opacity": 0.16,
        "line": {"width": 0},
        "layer": "below",
    }


def _label_places(
    labels: list[str], cache: np.ndarray, values: np.ndarray, close: np.ndarray, span: list[float]
) -> tuple[list[str], list[str]]:
    """What is written at each dot, and on which side of it; nothing where names would lie upon each other."""
    # A column of dots has its names beside them.
    crowded = [int((cache[close] == size).sum()) > 2 for size in cache]
    apart = 0.038 * (span[1] - span[0])  # a line of text; the hover names what is nearer
    column = cache[:, None] == cache
    crossed = column & close & ~np.eye(len(cache), dtype=bool) & (np.abs(values[:, None] - values) < apart)
    side = np.abs(np.log2(cache[:, None] / cache)) < 0.5
    above = np.where(side & (values > values[:, None]) & close, values - values[:, None], np.inf).min(1, initial=np.inf)
    below = np.where(side & (values < values[:, None]) & close, values[:, None] - values, np.inf).min(1, initial=np.inf)
    covered = above < below  # the nearer one stands above: the label goes below
    texts = ["" if crowd and cross else label for label, crowd, cross in zip(labels, crowded, crossed.any(1))]
    sides = [
        "middle left" if crowd else "bottom center" if cover else "top center" for crowd, cover in zip(crowded, covered)
    ]
    return texts, sides


def costs(
    names: list[str], groups: list[str], columns: dict[str, np.ndarray], theme: Theme, height: int = 360
) -> go.Figure:
    """What every choice costs: one panel of bars per name in `columns`, one line per choice; NaN has no bar.

    Each panel starts at zero; its first line, the baseline, is drawn on as a dotted rule.
    """
    rows, width = np.arange(len(names)), 1 / len(columns)
    shades = {group: HEADS[index % len(HEADS)] for index, group in enumerate(dict.fromkeys(groups))}
    traces, axes, shapes, notes = [], {}, [], []
    for panel, (title, values) in enumerate(columns.items()):
        values, tag = np.asarray(values, np.float64), "" if panel == 0 else str(panel + 1)
        top = float(np.nanmax(values, initial=0)) or 1.0
        left = panel * width
        traces.append(_cost_bars(values, title, tag, names, [shades[group] for group in groups]))
        traces.append(_cost_numbers(values, 1.59 * top, tag, theme))
        axes[f"xaxis{tag}"] = {
            "domain": [left + (0.01 if panel else 0), left + width],
            "range": [0, 1.6 * top],
            "showticklabels": False,
            "showgrid": False,
            "zeroline": True,
            "zerolinecolor": theme.grid,
            "fixedrange": True,
        }
        if np.isfinite(values[0]):
            rule = upright(values[0], color=theme.muted, width=1, dash="dot")
            shapes.append({"type": "line", "xref": f"x{tag}", **rule, "layer": "below"})
        notes.append(note(title, left + (0.01 if panel else 0), 1, theme.ink))
    drawn = layout(
        theme,
        title="What each choice costs (dotted: the baseline)",
        height=height,
        shapes=shapes,
        annotations=notes,
        hovermode="closest",
        bargap=0.35,
        margin={"l": 8, "r": 8, "t": 58, "b": 8},
        yaxis={
            "tickvals": rows,
            "ticktext": [_short(name) for name in names],
            "range": [len(names) - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
    )
    return figure(traces, {**drawn, **axes})


def _cost_bars(values: np.ndarray, title: str, tag: str, names: list[str], colors: list[str]) -> dict[str, Any]:
    """One panel of costs, a bar per choice."""
    rows = np.arange(len(names))
    return {
        "type": "bar",
        "orientation": "h",
        "x": values,
        "y": rows,
        "xaxis": f"x{tag}",
        "showlegend": False,
        "marker": {"color": colors},
        "customdata": names,
        "hovertemplate": f"%{{customdata}}: %{{x:,.0f}} {title}<extra></extra>",
    }


def _cost_numbers(values: np.ndarray, x: float, tag: str, theme: Theme) -> dict[str, Any]:
    """The numbers of one panel in a column at its right, where neither bars nor the baseline's rule reach."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": np.full(len(values), x),
        "y": np.arange(len(values)),
        "xaxis": f"x{tag}",
        "showlegend": False,
        "text": [_cost(value) if np.isfinite(value) else "" for value in values],
        "textposition": "middle left",
        "textfont": {"size": 10, "color": theme.muted},
        "hoverinfo": "skip",
    }


def _cost(value: float) -> str:
    """A cost in at most seven letters: 6,271 or 1.066 M."""
    return f"{value / 1e6:,.3f} M" if value >= 1e6 else f"{value:,.0f}"


def _span(values: np.ndarray, band: tuple[float, ...] | None, left: float = 0.25) -> list[float]:
    """A range that holds the values, and the band, with room for labels; `left` is the room below, as a share."""
    low, high = min([*values, *(band or ())]), max([*values, *(band or ())])
    air = 0.25 * (high - low) or 0.05
    return [low - air * left / 0.25, high + air]


def _short(name: str) -> str:
    """The first words of a choice."""
    return name.partition(",")[0].partition(" with ")[0]

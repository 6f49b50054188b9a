"""The zoo's choices against their baseline: quality with the noise of seeds, and the cache that each needs."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, figure, layout, note

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")
NEAR = (
    8  # spreads from the centre that the stretched part of the axis reaches: chance and what is close to it
)
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
) -> go.Figure:
    """Held-out bits per byte of every choice, one line each from the baseline; `band` is (low, centre, high) of its seeds.

    Dots are coloured and shaped by group, in the order in which the groups first appear. Values far from the band have
    an axis of their own at the right.
    """
    low, centre, high = band
    values, rows = np.asarray(values, np.float64), np.arange(len(names))
    close = near(values, band)
    inside = (values >= low) & (values <= high)
    hover = [
        f"{name}: {value:.4f} bits per byte, {value - centre:+.4f}" + (", within seed noise" if noise else "")
        for name, value, noise in zip(names, values, inside)
    ]
    traces: list[dict] = [
        {
            "type": "scatter",
            "mode": "lines",
            "hoverinfo": "skip",
            "line": {"color": theme.muted, "width": 1},
            "showlegend": False,
            "x": np.stack(
                (np.full(close.sum(), centre), values[close], np.full(close.sum(), np.nan)), 1
            ).ravel(),
            "y": np.repeat(rows[close], 3).astype(np.float32),
        }
    ]
    for index, group in enumerate(dict.fromkeys(groups)):
        for part, axis in ((close, "x"), (~close, "x2")):
            here = np.flatnonzero(part & (np.array(groups) == group))
            traces.append(
                {
                    "type": "scatter",
                    "x": values[here],
                    "y": rows[here],
                    "mode": "markers+text",
                    "name": group,
                    "xaxis": axis,
                    "showlegend": bool(len(here))
                    and (axis == "x" or not (close & (np.array(groups) == group)).any())
                    and group not in ("baseline", "seed"),  # their rows are named so
                    "marker": {
                        "size": 11,
                        "symbol": SYMBOLS[index % len(SYMBOLS)],
                        "color": HEADS[index % len(HEADS)],
                    },
                    "text": [f"{values[i] - centre:+.3f}" for i in here],
                    "textfont": {"size": 10, "color": theme.muted},
                    "textposition": [
                        "middle right" if values[i] >= centre and axis == "x" else "middle left" for i in here
                    ],
                    "customdata": [hover[i] for i in here],
                    "hovertemplate": "%{customdata}<extra></extra>",
                    "cliponaxis": False,
                }
            )
    tall = {"yref": "paper", "y0": 0, "y1": 1}
    shapes = [
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
    band_label = {
        "x": high,
        "y": 1,
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "text": " seed noise",
        "font": {"size": 11, "color": theme.warm},
    }
    drawn = layout(
        theme,
        title="Held-out bits per byte, lower is better",
        x="bits per byte",
        height=height,
        shapes=shapes,
        hovermode="closest",
        annotations=[band_label],
        showlegend=True,
        margin={"l": 8, "r": 16, "t": 64, "b": 8},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.05, "x": 1, "xanchor": "right"},
        yaxis={
            "tickvals": rows,
            "ticktext": [_short(name) for name in names],
            "range": [len(names) - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
        },
        xaxis={
            "tickformat": ".3f",
            "zeroline": False,
            "nticks": 4,
            "tickangle": 0,
            "range": _span(values[close], band),
        },
    )
    if not close.all():
        drawn["xaxis"]["domain"] = list(SHARES[0])
        drawn["xaxis2"] = {
            **{name: drawn["xaxis"][name] for name in ("gridcolor", "zeroline", "tickfont")},
            "domain": list(SHARES[1]),
            "anchor": "y",
            "range": _span(values[~close], None),
            "tickformat": ".1f",
            "nticks": 4,
            "tickangle": 0,
            "title": {"text": "far away", "font": {"size": 12}},
            "showline": True,
            "linecolor": theme.grid,
        }
    return figure(traces, drawn)


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
    crowded = {
        size: int((cache[close] == size).sum()) > 2 for size in cache
    }  # a column of dots: names beside them
    apart = 0.038 * (
        span[1] - span[0]
    )  # a line of text; nearer names would lie upon each other, the hover tells them
    clear = [
        not any(
            close[j] and cache[j] == cache[i] and j != i and abs(values[j] - values[i]) < apart
            for j in range(len(cache))
        )
        for i in range(len(cache))
    ]
    side = np.abs(np.log2(cache[:, None] / cache)) < 0.5
    covered = (side & (values > values[:, None]) & close).any(1)  # another stands above: the label goes below
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
                "text": [labels[i] if clear[i] or not crowded[cache[i]] else "" for i in here],
                "textposition": [
                    "middle left" if crowded[cache[i]] else "bottom center" if covered[i] else "top center"
                    for i in here
                ],
                "cliponaxis": False,
                "textfont": {"size": 10.5, "color": theme.ink},
                "customdata": [names[i] for i in here],
                "marker": {
                    "size": 10,
                    "symbol": SYMBOLS[index % len(SYMBOLS)],
                    "color": HEADS[index % len(HEADS)],
                },
                "hovertemplate": "%{customdata}: %{x:,.0f} bytes per token, %{y:.4f} bits per byte<extra></extra>",
            }
        )
    low, high = np.log10([cache.min(), cache.max()]) if len(cache) else (0.0, 1.0)
    pad = 0.12 * (high - low) + 0.08
    rect = {
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
    absent = "" if close.all() else f"{(~close).sum()} far away are not drawn"
    return figure(
        traces,
        layout(
            theme,
            title="What the cache keeps against what the model knows",
            x="cache bytes per token, all layers (float32)",
            y="bits per byte",
            height=height,
            shapes=[rect],
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
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "x": values,
                "y": rows,
                "xaxis": f"x{tag}",
                "showlegend": False,
                "marker": {"color": [shades[group] for group in groups]},
                "cliponaxis": False,
                "textposition": "outside",
                "text": [f"{value:,.0f}" if np.isfinite(value) else "" for value in values],
                "customdata": names,
                "textfont": {"size": 10, "color": theme.muted},
                "hovertemplate": f"%{{customdata}}: %{{x:,.0f}} {title}<extra></extra>",
            }
        )
        axes[f"xaxis{tag}"] = {
            "domain": [left + (0.01 if panel else 0), left + width],
            "range": [0, 1.35 * top],
            "showticklabels": False,
            "showgrid": False,
            "zeroline": True,
            "zerolinecolor": theme.grid,
            "fixedrange": True,
        }
        if np.isfinite(values[0]):
            shapes.append(
                {
                    "type": "line",
                    "xref": f"x{tag}",
                    "x0": values[0],
                    "x1": values[0],
                    "yref": "paper",
                    "y0": 0,
                    "y1": 1,
                    "line": {"color": theme.muted, "width": 1, "dash": "dot"},
                    "layer": "below",
                }
            )
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


def _span(values: np.ndarray, band: tuple[float, float, float] | None) -> list[float]:
    """A range that holds the values, and the band, with room for labels."""
    low, high = min([*values, *(band or ())]), max([*values, *(band or ())])
    air = 0.25 * (high - low) or 0.05
    return [low - air, high + air]


def _short(name: str) -> str:
    """The first words of a choice."""
    return name.partition(",")[0].partition(" with ")[0]

"""What caches cost: milliseconds and operations per token, bytes per token and per request, and when memory is full."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import HEADS, Theme, figure, layout, note, upright

UNITS = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))
DASHES = ("solid", "dash", "dot")
LEGEND = {"x": 0.02, "xanchor": "left", "y": 0.98, "yanchor": "top", "orientation": "v", "bgcolor": "rgba(0,0,0,0)"}


def milliseconds(
    ways: dict[str, tuple[np.ndarray, np.ndarray]], rounds: int, theme: Theme, height: int = 380
) -> go.Figure:
    """Measured milliseconds per token against the positions read so far, {way: (positions, milliseconds)}.

    Dots are the times; each line is a running median of up to five, through which hiccups of the machine do not show.
    """
    lines = [
        {
            "type": "scatter",
            "x": np.asarray(x),
            "y": np.asarray(values, np.float64),
            "name": name,
            "legendgroup": name,
            "mode": mode,
            "line": {"color": color, "width": 2, "dash": dash},
            "marker": {"color": color, "size": 5},
            "opacity": 0.55 if mode == "markers" else 1,
            "showlegend": mode == "lines",
            "hovertemplate": f"token at %{{x:,}}: %{{y:.3f}} ms<extra>{name}{of}</extra>",
        }
        for (name, (x, y)), (color, dash) in zip(ways.items(), _styles(theme))
        for mode, values, of in (("markers", y, ""), ("lines", _smooth(y), ", median of neighbours"))
    ]
    top = 1.3 * max(float(np.max(y)) for _, y in ways.values())
    times = "once" if rounds == 1 else f"median of {rounds}"
    return figure(
        lines,
        layout(
            theme,
            title=f"Time per token, measured on this server now (ms, {times})",
            x="positions read",
            y="ms",
            height=height,
            showlegend=True,
            legend=LEGEND,
            yaxis={"range": [0, top]},
            xaxis={"tickformat": ",d"},
            margin={"l": 8, "r": 8, "t": 40, "b": 8},
        ),
    )


def operations(
    lengths: np.ndarray, ways: dict[str, np.ndarray], chosen: int, theme: Theme, height: int = 380
) -> go.Figure:
    """Operations per token against the length on logarithmic axes, {way: [N]}; a dotted line at the text's length."""
    lines = [
        {
            "type": "scatter",
            "x": lengths,
            "y": np.asarray(values, np.float64),
            "mode": "lines",
            "name": name,
            "line": {"color": color, "width": 2, "dash": dash},
            "hovertemplate": f"token at %{{x:,}}: %{{y:.4s}}FLOP<extra>{name}</extra>",
        }
        for (name, values), (color, dash) in zip(ways.items(), _styles(theme))
    ]
    return figure(
        lines,
        layout(
            theme,
            title="Operations per token, by formula (FLOP)",
            x="positions read",
            y="FLOP",
            height=height,
            showlegend=True,
            legend=LEGEND,
            shapes=[upright(chosen, color=theme.muted, width=1.5, dash="dot")],
            margin={"l": 8, "r": 8, "t": 40, "b": 8},
            xaxis={"type": "log", "dtick": 1, "tickformat": ",d"},
            yaxis={"type": "log", "dtick": 1, "exponentformat": "SI"},
        ),
    )


def token_bytes(
    names: list[str], parts: dict[str, np.ndarray], formula: np.ndarray, length: int, theme: Theme, height: int = 330
) -> go.Figure:
    """Bytes per token of each model's cache: bars of what `nbytes` says, {part: [M]}, stacked; diamonds by formula,
    [M]."""
    where = np.arange(len(names))
    colors = dict(zip(parts, (theme.accent, HEADS[1], HEADS[2], HEADS[3])))
    squares = [f'<span style="color:{colors[part]}">■</span> {part}' for part in parts if np.any(parts[part])]
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "x": np.asarray(values, np.float64),
            "y": where,
            "name": part,
            "marker": {"color": colors[part], "line": {"width": 0}},
            "hovertemplate": f"%{{customdata}}: {part}, %{{x:,.2f}} B per token<extra></extra>",
            "customdata": names,
        }
        for part, values in parts.items()
        if np.any(values)
    ]
    marks = _formula_marks(names, formula, theme)
    legend = note(" ".join([*squares, "◇ formula"]), 0, 1, theme.muted)
    return figure(
        [*bars, marks],
        layout(
            theme,
            title=f"Cache per token read, at {length:,} tokens (bytes, float32)",
            x="bytes per token read, all layers",
            height=height,
            barmode="stack",
            hovermode="closest",
            margin={"l": 8, "r": 8, "t": 50, "b": 8},
            annotations=[legend],
            xaxis={"range": [0, 1.35 * float(np.max(formula))], "tickformat": ",d", "nticks": 5, "tickangle": 0},
            yaxis={"tickvals": where, "ticktext": names, "range": [len(names) - 0.5, -0.5], "showgrid": False},
        ),
    )


def _formula_marks(names: list[str], formula: np.ndarray, theme: Theme) -> dict[str, Any]:
    """Diamonds at the bytes by formula, one per model."""
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": np.asarray(formula, np.float64),
        "y": np.arange(len(names)),
        "name": "formula",
        "marker": {"symbol": "diamond-open", "size": 11, "color": theme.ink, "line": {"width": 2}},
        "text": [f"  {value:,.0f} B" for value in formula],
        "textposition": "middle right",
        "cliponaxis": False,
        "textfont": {"color": theme.ink, "size": 12},
        "customdata": names,
        "hovertemplate": "%{customdata}: by formula %{x:,.2f} B per token<extra></extra>",
    }


def growth(
    lengths: np.ndarray,
    lines: dict[str, np.ndarray],
    dots: dict[str, tuple[np.ndarray, np.ndarray]],
    theme: Theme,
    height: int = 330,
) -> go.Figure:
    """Bytes of each cache against its length: lines by formula, {name: [N]}, and dots `nbytes`, {name: (x, y)}."""
    traces: list[dict[str, Any]] = []
    for number, (name, values) in enumerate(lines.items()):
        color = HEADS[number % len(HEADS)]
        x, y = dots[name]
        traces += [
            {
                "type": "scatter",
                "x": lengths,
                "y": np.asarray(values, np.float64) / 1e3,
                "mode": "lines",
                "name": name,
                "line": {"color": color, "width": 2, "dash": DASHES[number // len(HEADS) % 3]},
                "legendgroup": name,
                "hovertemplate": f"%{{x:,}} tokens: %{{y:,.3f}} kB by formula<extra>{name}</extra>",
            },
            {
                "type": "scatter",
                "x": np.asarray(x),
                "y": np.asarray(y, np.float64) / 1e3,
                "mode": "markers",
                "name": name,
                "marker": {"color": color, "size": 8},
                "showlegend": False,
                "legendgroup": name,
                "hovertemplate": f"%{{x:,}} tokens: nbytes %{{y:,.3f}} kB<extra>{name}</extra>",
            },
        ]
    return figure(
        traces,
        layout(
            theme,
            title="Bytes as the cache grows (kB, float32)",
            x="tokens",
            y="kB",
            height=height,
            showlegend=True,
            legend=LEGEND,
            margin={"l": 8, "r": 8, "t": 40, "b": 8},
            hovermode="closest",
            xaxis={"tickformat": ",d", "rangemode": "tozero"},
            yaxis={"rangemode": "tozero", "tickformat": ","},
        ),
    )


def per_request(
    names: list[str],
    kinds: list[str],
    values: np.ndarray,
    beyond: np.ndarray,
    chosen: int,
    theme: Theme,
    *,
    title: str,
    height: int = 400,
) -> go.Figure:
    """Bytes of a request's cache for every shape, [M], a dot on a logarithmic axis; pale where `beyond` its context."""
    values, where = np.asarray(values, np.float64), np.arange(len(names))
    colors = [theme.warm if i == chosen else theme.accent for i in where]
    low, high = np.log10(values.min()), np.log10(values.max())
    dots = {
        "type": "scatter",
        "mode": "markers+text",
        "x": values,
        "y": where,
        "marker": {"color": colors, "size": 11, "opacity": np.where(beyond, 0.4, 1.0)},
        "text": [f"  {_bytes(value)}" for value in values],
        "textposition": "middle right",
        "cliponaxis": False,
        "textfont": {"size": 11, "color": theme.ink},
        "customdata": [f"{name} ({kind})" for name, kind in zip(names, kinds)],
        "hovertemplate": "%{customdata}: %{x:,.0f} B<extra></extra>",
    }
    return figure(
        [dots],
        layout(
            theme,
            title=title,
            x="bytes, logarithmic",
            height=height,
            hovermode="closest",
            margin={"l": 8, "r": 8, "t": 36, "b": 8},
            xaxis={
                "type": "log",
                "range": [low - 0.2, high + 0.2 + 0.2 * (high - low)],
                "exponentformat": "SI",
                "ticksuffix": "B",
                "dtick": 1 if high - low > 2 else "D2",
            },
            yaxis={
                "tickvals": where,
                "ticktext": [f"{name} · {kind.split(',')[0]}" for name, kind in zip(names, kinds)],
                "range": [len(names) - 0.5, -0.5],
            },
        ),
    )


def memory(
    lengths: np.ndarray,
    cache: np.ndarray,
    weights: float | None,
    limit: float,
    chosen: int,
    theme: Theme,
    *,
    title: str,
    height: int = 400,
) -> go.Figure:
    """The caches of a batch on top of the weights against the length; the dashed line is the memory, where it is
    near."""
    base = np.full(len(lengths), weights or 0.0)
    most = float((base + cache).max())
    near = limit < 4 * most  # a line far above would press the rest flat
    unit, name_of_unit = next((size, name) for name, size in (*UNITS, ("B", 1.0)) if most >= size or name == "B")
    areas = [
        {
            "type": "scatter",
            "x": lengths,
            "y": values / unit,
            "mode": "lines",
            "name": name,
            "fill": fill,
            "line": {"color": color, "width": 2},
            "customdata": only / unit,
            "hovertemplate": f"%{{x:,}} tokens: {name} %{{customdata:,.3f}} {name_of_unit}<extra></extra>",
        }
        for name, values, only, fill, color in (
            ("weights", base, base, "tozeroy", theme.muted),
            ("cache", base + cache, cache, "tonexty", theme.accent),
        )
    ]
    top = max(most, limit if near else 0.0) / unit
    line, label = _memory_limit(limit, unit, theme)
    return figure(
        areas,
        layout(
            theme,
            title=f"{title} ({name_of_unit})",
            x="tokens per request",
            y=name_of_unit,
            height=height,
            shapes=[upright(chosen, color=theme.muted, width=1.5, dash="dot"), *[line] * near],
            annotations=[label] * near,
            showlegend=True,
            legend=LEGEND,
            margin={"l": 8, "r": 8, "t": 36, "b": 8},
            xaxis={"type": "log", "dtick": 1, "tickformat": ",d"},
            yaxis={"range": [0, 1.3 * top], "tickformat": ","},
        ),
    )


def _memory_limit(limit: float, unit: float, theme: Theme) -> tuple[dict[str, Any], dict[str, Any]]:
    """A dashed line at the bytes of memory, as a shape, and its name, as an annotation."""
    line = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": limit / unit,
        "y1": limit / unit,
        "line": {"color": theme.warm, "width": 2, "dash": "dash"},
    }
    label = {
        "xref": "paper",
        "x": 0.02,
        "y": limit / unit,
        "text": f"memory {limit / 1e9:,g} GB",
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "bottom",
        "font": {"size": 11, "color": theme.warm},
    }
    return line, label


def _styles(theme: Theme) -> tuple[tuple[str, str], ...]:
    return ((theme.accent, "solid"), (theme.warm, "dash"), (theme.muted, "dot"))


def _smooth(values: np.ndarray, reach: int = 2) -> np.ndarray:
    """The median of each value and up to `reach` neighbours on either side; few values stay as they are."""
    if len(values) <= 12:
        return np.asarray(values)
    return np.array([np.median(values[max(0, i - reach) : i + reach + 1]) for i in range(len(values))])


def _bytes(count: float) -> str:
    for unit, size in UNITS:
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"

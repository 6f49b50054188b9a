"""The walk from MHA over GQA and MQA to MLA: who reads which keys and values, what is cached, what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import GROUPS, Theme, animated, faded, layout

if TYPE_CHECKING:
    from tlmviz.analysis.caches.family import Variant

PLAIN = {"showgrid": False, "zeroline": False, "fixedrange": True}
DIAGRAM, BARS = (0.0, 0.6), (0.65, 1.0)  # of the figure's width
PANELS = ((0.73, 0.94), (0.39, 0.6), (0.05, 0.26))  # of its height, one for each bar chart
QUERY, KEY, VALUE, LATENT, HIDDEN = 3.0, 2.12, 1.88, 1.0, 0.15  # heights in the diagram
ABOVE = 0.3  # a row: its label; that of keys and values stands below, where lines are faint
COMMON, TURNED = (0.1, 0.72), (0.78, 0.9)  # from left to right: the boxes of c_KV and k^R
HALF = 0.13  # the height of a box
ROOM = 640  # pixels that a row of heads has on a laptop


def morph(
    stages: list[Variant],
    flops: list[int],
    sizes: dict[str, int],
    length: int,
    at: int,
    theme: Theme,
    height: int = 480,
) -> go.Figure:
    """Query heads, the key/value heads they read and what is cached, from MHA to MLA; beside it what a layer of each
    costs.

    `flops` are operations per decoded token at `length` tokens, `sizes` holds d_model, heads, head_dim, latent,
    rope_dim. Frame `at` is shown first.
    """
    count, names = len(stages), [stage.name for stage in stages]
    costs = {
        "parameters": ([stage.parameters for stage in stages], "%{y:,} parameters"),
        "cached numbers per token": (
            [stage.cached for stage in stages],
            "%{y:,} numbers, %{customdata:,} bytes at 16 bits",
        ),
        f"operations, token {length:,}": (flops, "%{y:,} FLOP"),
    }

    def moving(index: int) -> list[dict[str, Any]]:
        colors = [theme.accent if i == index else faded(theme.accent, 0.35) for i in range(count)]
        return [*_diagram(stages[index], sizes, theme), *({"type": "bar", "marker": {"color": colors}} for _ in costs)]

    traces = [{**data, **style} for data, style in zip(moving(at), _styles(sizes["heads"], theme))]
    drawn = layout(
        theme,
        title=f"From {names[0]} to MLA: who reads what, and its price",
        height=height,
        margin={"l": 6, "r": 6, "t": 34, "b": 66},
        bargap=0.25,
        hovermode="closest",
        annotations=_headings(list(costs), theme),
        xaxis={**PLAIN, "domain": list(DIAGRAM), "range": [-0.02, 1.02], "visible": False},
        yaxis={**PLAIN, "range": [-0.1, 3.5], "visible": False},
    )
    for panel, ((values, hover), domain) in enumerate(zip(costs.values(), PANELS), start=2):
        bars = _cost_bars(values, hover, names, panel, theme)
        traces.append({**moving(at)[-1], **bars})
        drawn |= _cost_axes(names, max(values), domain, panel, theme)
    labels = [f"{stage.name}: {_sharing(stage, sizes['heads'])}" for stage in stages]
    frames = [moving(index) for index in range(count)]
    return animated(traces, drawn, frames, labels, list(range(len(traces))), at, theme, duration=900)


def _cost_bars(values: list[int], hover: str, names: list[str], panel: int, theme: Theme) -> dict[str, Any]:
    """What stays of one bar chart: a cost of every stage, on the axes numbered `panel`."""
    return {
        "x": np.arange(len(names)),
        "y": np.array(values, np.float64),
        "customdata": 2.0 * np.array(values),
        "text": [_short(value) for value in values],
        "textposition": "outside",
        "cliponaxis": False,
        "textangle": 0,
        "textfont": {"size": 9, "color": theme.ink},
        "xaxis": f"x{panel}",
        "yaxis": f"y{panel}",
        "hovertext": names,
        "hovertemplate": f"%{{hovertext}}: {hover}<extra></extra>",
    }


def _cost_axes(
    names: list[str], top: float, domain: tuple[float, float], panel: int, theme: Theme
) -> dict[str, dict[str, Any]]:
    """The axes numbered `panel`, of one bar chart; the lowest names the stages."""
    count = len(names)
    across = {
        **PLAIN,
        "domain": list(BARS),
        "anchor": f"y{panel}",
        "tickvals": np.arange(count),
        "ticktext": names,
        "showticklabels": panel == 4,
        "tickangle": 0 if count < 7 else -55,
        "linecolor": theme.grid,
        "showline": True,
        "tickfont": {"size": 9.5, "color": theme.muted},
        "range": [-0.6, count - 0.4],
    }
    up = {**PLAIN, "domain": list(domain), "anchor": f"x{panel}", "range": [0, 1.2 * top], "showticklabels": False}
    return {f"xaxis{panel}": across, f"yaxis{panel}": up}


def _sharing(stage: Variant, heads: int) -> str:
    if stage.kv_heads is None:
        return f"one latent for {heads} heads"
    plural = "s" if stage.kv_heads > 1 else ""
    return f"{stage.kv_heads} key/value head{plural} for {heads} query head{'s' if heads > 1 else ''}"


def _diagram(stage: Variant, sizes: dict[str, int], theme: Theme) -> list[dict[str, Any]]:
    """Lines to what each query head reads (one trace per colour), to what keys and values are made of, heads, latent,
    words."""
    heads, latent = sizes["heads"], stage.kv_heads is None
    groups = stage.kv_heads or heads
    reads = np.array(stage.reads)
    at_query, at_group = (np.arange(heads) + 0.5) / heads, (np.arange(groups) + 0.5) / groups
    tint = [GROUPS[group % len(GROUPS)] for group in range(groups)]
    lines = _connections(reads, at_query, at_group, latent)
    size, made = (min(22.0, 0.8 * ROOM / heads), "made from the latent when needed" if latent else "in the cache")
    width = min(22.0, size * heads / groups)
    queries = {
        "type": "scatter",
        "x": at_query,
        "y": np.full(heads, QUERY),
        "hovertext": [f"query head {h} reads key/value head {reads[h]}" for h in range(heads)],
        "marker": {"symbol": "circle", "size": size, "color": [tint[group] for group in reads], "line": {"width": 0}},
    }
    keys = {
        "type": "scatter",
        "x": np.tile(at_group, 2),
        "y": np.repeat([KEY, VALUE], groups),
        "hovertext": [
            f"{kv} head {g}: {sizes['head_dim']} numbers, {made}" for kv in ("key", "value") for g in range(groups)
        ],
        "marker": {
            "symbol": "square",
            "size": width,
            "color": [theme.missing] * (2 * groups) if latent else tint * 2,
            "line": {"width": min(2.5, width / 5), "color": theme.muted if latent else theme.warm},
        },
    }
    boxes = [_box(*COMMON), _box(*TURNED)] if latent else [_box(np.nan, np.nan)] * 2
    words = {
        "type": "scatter",
        "x": [0, 0, 0, 0.5, sum(COMMON) / 2, sum(TURNED) / 2],
        "y": [QUERY + ABOVE, VALUE - ABOVE, LATENT - ABOVE, HIDDEN, LATENT, LATENT],
        "text": _words(stage, sizes, theme),
    }
    return [*lines, queries, keys, *boxes, words]


def _connections(reads: np.ndarray, at_query: np.ndarray, at_group: np.ndarray, latent: bool) -> list[dict[str, Any]]:
    """Lines from query heads to what they read, a trace per colour, and from keys and values to what they are made
    of."""
    lines = [
        _lines([(at_query[h], QUERY, at_group[reads[h]], KEY) for h in np.flatnonzero(reads % len(GROUPS) == color)])
        for color in range(len(GROUPS))
    ]
    if latent:
        middle = [sum(box) / 2 for box in (COMMON, TURNED)]
        up = [(x, VALUE, end, LATENT + HALF) for x in at_group for end in middle]
        lines.append(_lines([*up, *((end, LATENT - HALF, 0.5, HIDDEN + HALF) for end in middle)]))
    else:
        lines.append(_lines([(x, VALUE, 0.5, HIDDEN + HALF) for x in at_group]))
    return lines


def _styles(heads: int, theme: Theme) -> list[dict[str, Any]]:
    """What stays of the diagram's traces."""
    line = {"mode": "lines", "hoverinfo": "skip"}
    marks = {"mode": "markers", "hovertemplate": "%{hovertext}<extra></extra>"}
    box = {**line, "fill": "toself", "fillcolor": theme.missing, "line": {"color": theme.warm, "width": 2.5}}
    return [
        *({**line, "line": {"color": color, "width": 1.6 if heads <= 32 else 0.8}} for color in GROUPS),
        {**line, "line": {"color": theme.muted, "width": 0.8}, "opacity": 0.5 if heads <= 32 else 0.15},
        marks,
        marks,
        box,
        box,
        {
            "mode": "text",
            "textposition": ["middle right"] * 3 + ["middle center"] * 3,
            "hoverinfo": "skip",
            "cliponaxis": False,
            "textfont": {"size": 11.5, "color": theme.ink},
        },
    ]


def _words(stage: Variant, sizes: dict[str, int], theme: Theme) -> list[str]:
    """The rows' labels, the hidden state's, and those inside the boxes of the latent."""
    h, d, hidden = sizes["heads"], sizes["head_dim"], f"hidden state: {sizes['d_model']:,} numbers"
    cached = f'<span style="color:{theme.warm}"><b>in the cache</b></span>'
    if stage.kv_heads is None:
        latent, turned = sizes["latent"], sizes["rope_dim"]
        return [
            f"queries: {h} × ({d} + {turned} rotary)",
            f"keys, values: {h} × {d} each, not stored",
            f"latent, {cached}",
            hidden,
            f"c<sup>KV</sup>: {latent:,} numbers",
            f"k<sup>R</sup>: {turned}" if turned else "",
        ]
    return [f"queries: {h} × {d}", f"keys, values: 2 × {stage.kv_heads} × {d}, {cached}", "", hidden, "", ""]


def _lines(parts: list[tuple[float, float, float, float]]) -> dict[str, Any]:
    """Lines (x0, y0, x1, y1) as one trace with gaps."""
    ends = np.array(parts or [(np.nan,) * 4])
    gap = np.full(len(ends), np.nan)
    x, y = (np.stack((ends[:, i], ends[:, i + 2], gap), 1).ravel() for i in (0, 1))
    return {"type": "scatter", "x": x.astype(np.float32), "y": y.astype(np.float32)}


def _box(left: float, right: float) -> dict[str, Any]:
    low, high = LATENT - HALF, LATENT + HALF
    return {
        "type": "scatter",
        "x": np.array([left, right, right, left, left]),
        "y": np.array([low, low, high, high, low]),
    }


def _headings(titles: list[str], theme: Theme) -> list[dict[str, Any]]:
    base = {"xref": "paper", "yref": "paper", "showarrow": False, "xanchor": "left", "yanchor": "bottom"}
    return [
        {**base, "x": BARS[0], "y": top + 0.005, "text": title, "font": {"size": 11, "color": theme.muted}}
        for title, (_, top) in zip(titles, PANELS)
    ]


def _short(value: float) -> str:
    for power, unit in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if value >= 10**power:
            return f"{value / 10**power:.3g}{unit}"
    return f"{value:.0f}"

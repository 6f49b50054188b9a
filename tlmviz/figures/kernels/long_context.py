"""Long texts: loss along the text, every head pooled, one head to drag a tile from, the tile, distances, masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import (
    FIXED_MARGIN,
    MISSING,
    Theme,
    colorbar,
    figure,
    frame,
    layout,
    note,
    number,
    rooted,
    scale,
    shaded,
    token_labels,
    upright,
)

PLAIN = {"showgrid": False, "zeroline": False}
WRITTEN = 16  # layers, or heads, at most whose numbers and names fit into a picture


def loss_curve(loss: np.ndarray, context: int, theme: Theme, smooth: int = 64, points: int = 2000) -> go.Figure:
    """Mean loss of `smooth` neighbouring tokens against position, from [T - 1] nats; shaded beyond `context` tokens."""
    loss, length = np.asarray(loss, np.float64), len(loss) + 1
    width = max(1, min(smooth, len(loss) // 4))
    sums = np.concatenate(([0.0], np.cumsum(loss)))
    mean = (sums[width:] - sums[:-width]) / width if len(loss) else np.zeros(0)
    where = np.arange(len(mean)) + (width + 1) / 2  # the middle of each span of predicted tokens
    step = max(1, len(mean) // points)
    line = dict(
        type="scatter",
        x=where[::step].astype(np.float32),
        y=mean[::step].astype(np.float32),
        mode="lines",
        line={"color": theme.accent, "width": 1.8},
        hovertemplate="around token %{x:,.0f}: %{y:.3f} nats<extra></extra>",
    )
    shapes, notes = [], []
    if length > context:
        shapes = [shaded(context, length, theme.warm, 0.13), upright(context, color=theme.warm, width=1.5)]
        notes = [
            {
                "x": 1,
                "xref": "paper",  # it begins at the line only where there is room
                "y": 1,
                "yref": "paper",
                "xanchor": "right",
                "yanchor": "bottom",
                "showarrow": False,
                "text": f"beyond the training length of {context:,} tokens",
                "font": {"size": 12, "color": theme.warm},
            }
        ]
    return figure(
        [line],
        layout(
            theme,
            title=f"Loss along the text (nats per token, mean of {width})",
            x="",
            y="nats",
            height=140,
            shapes=shapes,
            margin={"l": 44, "r": 8, "t": 32, "b": 24},
            annotations=notes,
            xaxis={"range": [0, length], "tickformat": ",", "showgrid": False, **FIXED_MARGIN},
            yaxis={"rangemode": "tozero", "nticks": 4, **FIXED_MARGIN},
        ),
    )


def overview(pictures: np.ndarray, chosen: tuple[int, int], theme: Theme, height: int = 400) -> go.Figure:
    """Every head's pooled map, [L, H, n, n], on one grid; the chosen head is framed. A click on a head selects its
    marker."""
    layers, heads, n, _ = pictures.shape
    heatmap = _tiled_maps(pictures, theme)
    layer, head = (index.ravel() for index in np.indices((layers, heads)))
    middle = (n - 1) / 2
    marks = dict(
        type="scatter",
        x=(head * (n + 2) + middle).astype(np.float32),
        y=(layer * (n + 2) + middle).astype(np.float32),
        mode="markers",
        marker={"symbol": "square", "size": max(12, int(0.8 * (height - 70) / layers)), "color": "rgba(0,0,0,0)"},
        customdata=np.stack((layer, head), 1).tolist(),  # a typed array would come back from a click as a dictionary
        hovertemplate="Layer %{customdata[0]}, head %{customdata[1]}<extra></extra>",
    )
    shapes = _rules(layers, heads, n + 2, theme)
    top, left = chosen[0] * (n + 2), chosen[1] * (n + 2)
    shapes.append(frame((left - 1.5, left + n + 0.5), (top - 1.5, top + n + 0.5), theme.warm, 3))
    return figure(
        [heatmap, marks],
        layout(
            theme,
            title="All heads (largest probability per bin, √ colours)",
            x="head",
            y="layer",
            height=height,
            shapes=shapes,
            xaxis={
                **PLAIN,
                "tickvals": np.arange(heads) * (n + 2) + middle,
                "ticktext": [str(i) for i in range(heads)],
                "range": [-1.5, heads * (n + 2) - 1.5],
                "fixedrange": True,
            },
            yaxis={
                **PLAIN,
                "tickvals": np.arange(layers) * (n + 2) + middle,
                "ticktext": [str(i) for i in range(layers)],
                "range": [layers * (n + 2) - 1.5, -1.5],
                "fixedrange": True,
            },
            dragmode=False,
            hovermode="closest",
            clickmode="event+select",
        ),
    )


def _tiled_maps(pictures: np.ndarray, theme: Theme) -> dict[str, Any]:
    """All maps [L, H, n, n] as one heatmap of bytes, on a square-root scale, two cells apart."""
    layers, heads, n, _ = pictures.shape
    grid = np.zeros((layers * (n + 2), heads * (n + 2)), np.uint8)
    for layer, head in np.ndindex(layers, heads):
        bytes_ = np.rint(255 * np.sqrt(pictures[layer, head].clip(0, 1)))
        grid[layer * (n + 2) : layer * (n + 2) + n, head * (n + 2) : head * (n + 2) + n] = bytes_
    return dict(
        type="heatmap", z=grid, zmin=0, zmax=255, colorscale=scale(theme.sequential), showscale=False, hoverinfo="skip"
    )


def _rules(layers: int, heads: int, step: int, theme: Theme) -> list[dict[str, Any]]:
    """Lines between the maps of a grid whose maps lie `step` cells apart."""
    lines = [
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": at, "y1": at}
        for at in np.arange(1, layers) * step - 1.5
    ] + [
        {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": at, "x1": at}
        for at in np.arange(1, heads) * step - 1.5
    ]
    return [{**line, "line": {"color": theme.muted, "width": 1}} for line in lines]


def head_map(
    picture: np.ndarray,
    length: int,
    context: int,
    tile: tuple[int, int, int],
    name: str,
    theme: Theme,
    height: int = 400,
    losses: tuple[float, float] | None = None,
) -> go.Figure:
    """One head's pooled map, [n, n], over `length` tokens; `tile` (first query, first key, side) is framed.

    `losses` are the means within `context` tokens and beyond, in nats, NaN where there are none: written where no
    weight can be.

    A box dragged over it selects: heatmaps have no points of their own, so faint ones lie over it.
    """
    n, bin_ = len(picture), length / len(picture)
    centre = ((np.arange(n) + 0.5) * bin_ - 0.5).astype(np.float32)
    # The first rows, which see little else than themselves, would dim the rest.
    top = float(np.quantile(picture, 0.99)) or 1.0
    heatmap = dict(
        type="heatmap",
        z=np.asarray(picture, np.float32),
        x=centre,
        y=centre,
        zmin=0,
        zmax=top,
        colorscale=_rooted(theme),
        colorbar=colorbar(theme, xpad=2, ypad=0),
        hovertemplate="queries around %{y:,.0f}, keys around %{x:,.0f}: up to %{z:.5f}<extra></extra>",
    )
    few = centre[:: max(1, n // 16)]
    x, y = (part.ravel() for part in np.meshgrid(few, few))
    points = dict(
        type="scatter", x=x, y=y, mode="markers", marker={"size": 4, "color": "rgba(0,0,0,0)"}, hoverinfo="skip"
    )
    row, col, side = tile
    edge = min(side, length)
    shapes = [frame((col - 0.5, col + edge - 0.5), (row - 0.5, row + edge - 0.5), theme.warm, 2)]
    if length > context:
        rule = {"type": "line", "line": {"color": theme.muted, "width": 1.5, "dash": "dot"}}
        shapes += [
            {**rule, "x0": 0, "x1": length, "y0": context, "y1": context},
            {**rule, "x0": context, "x1": context, "y0": 0, "y1": length},
        ]
    span = [-0.5, length - 0.5]
    return figure(
        [heatmap, points],
        layout(
            theme,
            title=f"{name}: drag a box to open it",
            x="key position",
            y="query position",
            height=height,
            shapes=shapes,
            annotations=_losses(losses, theme) if losses else [],
            xaxis={**PLAIN, "range": span, "tickformat": ",", "nticks": 6},
            yaxis={**PLAIN, "range": span[::-1], "tickformat": ",", "nticks": 8},
            dragmode="select",
            hovermode="closest",
        ),
    )


def _losses(losses: tuple[float, float], theme: Theme) -> list[dict[str, Any]]:
    """The loss within the dotted lines and beyond them, in the upper right corner."""
    within, beyond = (number(each, ".2f") for each in losses)
    lines = [] if within == MISSING else [f"loss {within} nats a token"]
    if beyond != MISSING:
        lines = [f"loss {within} nats a token,", f"beyond the dots {beyond}"]
    text = note("<br>".join(lines), 0.98, 0.98, theme.ink, anchor=("right", "top"))
    return [{**text, "align": "right", "bgcolor": theme.veil(0.9)}] if lines else []


def exact_tile(
    weights: np.ndarray, first: tuple[int, int], tokens: tuple[list[str], list[str]], theme: Theme, height: int = 325
) -> go.Figure:
    """A tile of exact probabilities, [R, C], that begins at query and key `first`; tokens are named where they fit."""
    rows, cols = (start + np.arange(size) for start, size in zip(first, weights.shape))
    top = float(weights.max()) if weights.size else 1.0
    heatmap = dict(
        type="heatmap",
        z=np.asarray(weights, np.float32),
        x=cols,
        y=rows,
        zmin=0,
        zmax=top or 1.0,
        colorscale=_rooted(theme),
        colorbar=colorbar(theme, xpad=2, ypad=0),
        hovertemplate="query %{y:,}, key %{x:,}: %{z:.6f}<extra></extra>",
    )
    return figure(
        [heatmap],
        layout(
            theme,
            title=f"Exact tile: {len(rows)} × {len(cols)} cells (probability)",
            x="key",
            y="query",
            height=height,
            hovermode="closest",
            xaxis={**PLAIN, **_named(cols, tokens[1], -60), "range": [cols[0] - 0.5, cols[-1] + 0.5]},
            yaxis={**PLAIN, **_named(rows, tokens[0], 0), "range": [rows[-1] + 0.5, rows[0] - 0.5]},
        ),
    )


def per_head(
    values: np.ndarray, title: str, theme: Theme, *, form: str = ".2f", top: float | None = None, height: int = 300
) -> go.Figure:
    """One number per head, [L, H], written into its cell where there are few layers."""
    values = np.asarray(values, np.float32)
    layers, heads = values.shape
    limit = top or float(np.nanmax(values)) or 1.0
    heatmap = dict(
        type="heatmap",
        z=values,
        zmin=0,
        zmax=limit,
        colorscale=scale(theme.sequential),
        showscale=False,
        xgap=2,
        ygap=2,
        texttemplate="%{z:" + form + "}" if layers <= WRITTEN else "",
        hovertemplate="layer %{y}, head %{x}: %{z:.5f}<extra></extra>",
    )
    return figure(
        [heatmap],
        layout(
            theme,
            title=title,
            x="head",
            y="layer",
            height=height,
            xaxis={**PLAIN, "tickvals": np.arange(0, heads, -(-heads // WRITTEN))},
            yaxis={**PLAIN, "tickvals": np.arange(0, layers, -(-layers // WRITTEN)), "range": [layers - 0.5, -0.5]},
        ),
    )


def bands(
    values: np.ndarray, names: list[str], labels: list[str], chosen: int, theme: Theme, height: int = 300
) -> go.Figure:
    """Attention mass by distance, [heads, bands]: one row per head; the chosen one is framed."""
    values = np.asarray(values, np.float32)
    heatmap = dict(
        type="heatmap",
        z=values,
        zmin=0,
        zmax=1,
        colorscale=_rooted(theme),
        colorbar=colorbar(theme, xpad=2, ypad=0),
        hovertemplate="%{customdata}: %{z:.4f}<extra></extra>",
        customdata=[[f"{label}, {name} tokens back" for name in names] for label in labels],
    )
    choice = frame((-0.5, len(names) - 0.5), (chosen - 0.5, chosen + 0.5), theme.warm, 2)
    shown = np.arange(0, len(labels), max(1, len(labels) // 12))
    return figure(
        [heatmap],
        layout(
            theme,
            title="Mass by distance (probability, √ colours)",
            x="tokens back",
            y="layer.head",
            height=height,
            shapes=[choice],
            xaxis={**PLAIN, "tickvals": np.arange(len(names)), "ticktext": names, "tickangle": -45},
            yaxis={
                **PLAIN,
                "tickvals": shown,
                "ticktext": [labels[i] for i in shown],
                "range": [len(labels) - 0.5, -0.5],
            },
        ),
    )


def mask(picture: np.ndarray, length: int, title: str, linear: bool, theme: Theme, height: int = 330) -> go.Figure:
    """A method's pattern over the text, [n, n]: the share of each bin's cells it sees, or its largest weight."""
    n = len(picture)
    centre = ((np.arange(n) + 0.5) * length / n - 0.5).astype(np.float32)
    what = "largest weight" if linear else "share of cells seen"
    heatmap = dict(
        type="heatmap",
        z=np.asarray(picture, np.float32),
        x=centre,
        y=centre,
        zmin=0,
        zmax=float(picture.max()) or 1.0,
        colorscale=_rooted(theme),
        colorbar=colorbar(theme, xpad=2, ypad=0),
        hovertemplate="queries around %{y:,.0f}, keys around %{x:,.0f}: " + what + " %{z:.4f}<extra></extra>",
    )
    return figure(
        [heatmap],
        layout(
            theme,
            title=f"{title} ({'weight' if linear else 'cells seen'})",
            x="key position",
            y="query position",
            height=height,
            xaxis={**PLAIN, "tickformat": ",", "nticks": 5},
            yaxis={**PLAIN, "tickformat": ",", "nticks": 6, "range": [length - 0.5, -0.5]},
        ),
    )


def trade(names: list[str], flops: np.ndarray, change: np.ndarray, theme: Theme, height: int = 330) -> go.Figure:
    """Change of the loss (nats per token) against the operations that each method takes, one dot per method."""
    texts, sides = _names_apart(names, np.log10(np.asarray(flops, np.float64)), np.asarray(change, np.float64))
    dots = dict(
        type="scatter",
        x=np.asarray(flops, np.float64),
        y=np.asarray(change, np.float32),
        mode="markers+text",
        text=texts,
        textposition=sides,
        customdata=names,
        textfont={"size": 11, "color": theme.ink},
        marker={"size": 10, "color": theme.accent},
        hovertemplate="%{customdata}: %{x:.3s}FLOP, %{y:+.4f} nats per token<extra></extra>",
        cliponaxis=False,
    )
    low, high = np.log10([min(flops), max(flops)])
    pad = 0.25 * (high - low) + 0.15
    return figure(
        [dots],
        layout(
            theme,
            title="Cost and loss: right is more work, up worse predictions",
            x="FLOP for this text, all heads",
            y="change of loss (nats per token)",
            height=height,
            hovermode="closest",
            xaxis={"type": "log", "range": [low - pad, high + pad], "exponentformat": "SI", "dtick": "D2"},
            yaxis={"zeroline": True, "zerolinecolor": theme.grid},
        ),
    )


def _names_apart(names: list[str], x: np.ndarray, y: np.ndarray) -> tuple[list[str], list[str]]:
    """What is written at each dot and on which side: names of dots in one place stand above each other, at the first of
    them."""
    wide, high = np.ptp(x) or 1.0, np.nanmax(y) - np.nanmin(y) or 1.0
    texts, sides = [""] * len(names), ["top center"] * len(names)
    left = list(np.argsort(x, kind="stable"))
    place = 0
    while left:
        near = [i for i in left if abs(x[i] - x[left[0]]) < 0.04 * wide and abs(y[i] - y[left[0]]) < 0.08 * high]
        here = near or left[:1]  # a loss that is missing is near nothing
        texts[here[0]] = "<br>".join(names[i] for i in here)
        upper = y[here[0]] > np.nanmin(y) + 0.6 * high  # a stack has room towards the middle
        if len(here) > 1:
            sides[here[0]] = "bottom center" if upper else "top center"
        else:
            sides[here[0]] = "top center" if place % 2 else "bottom center"  # neighbours on different sides
        left, place = [i for i in left if i not in here], place + 1
    return texts, sides


def _rooted(theme: Theme) -> list[list[float | str]]:
    """The sequential colours on a square-root scale: small weights stay visible, and hover shows the number itself."""
    return rooted(theme.sequential)


def _named(where: np.ndarray, tokens: list[str], angle: int) -> dict[str, Any]:
    """Token names under up to 24 positions, positions alone under more."""
    if len(where) > 24:
        return {"nticks": 7, "tickformat": ","}
    size = {} if len(where) <= 16 else {"tickfont": {"size": 9}}  # a line of each is lower than a row
    return {"tickvals": where, "ticktext": token_labels(tokens), "tickangle": angle, **size}

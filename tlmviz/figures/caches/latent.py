"""Multi-head latent attention: matrices multiplied beforehand, the two parts of a score, and why RoPE resists
folding."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, animated, faded, figure, layout, named_axes, note, rooted, scale

PLAIN = {"showgrid": False, "zeroline": False}
RAISED = (0.09, 1.0)  # of the height: room for tick labels above a slider
MIDDLE = 0.38  # of the height: the matrices of a product stand on one line
MOST_POINTS = 300  # of a line that turns up and down at each
SIGN = 0.05  # of the width: room for a multiplication or equals sign


def folding(parts: list[tuple[list[tuple[str, np.ndarray]], str]], theme: Theme, height: int = 330) -> go.Figure:
    """Products drawn to scale: each of `parts` is ([left, right, product] as (name, matrix), what it is good for).

    Widths share one unit and heights another; each matrix has its own colour scale, symmetric about zero.
    """
    every = [matrix for triple, _ in parts for _, matrix in triple]
    wide = max(sum(matrix.shape[1] for _, matrix in triple) for triple, _ in parts)
    tall = max(matrix.shape[0] for matrix in every)
    column = 1 / len(parts)
    unit = (column - 3 * SIGN) / wide
    traces: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    notes = []
    for part, (triple, words) in enumerate(parts):
        left = part * column
        for step, (name, matrix) in enumerate(triple):
            index = len(traces) + 1
            tag = "" if index == 1 else str(index)
            right, share = left + unit * matrix.shape[1], 0.7 * matrix.shape[0] / tall
            traces.append(_factor(name, matrix, tag, theme))
            axes |= _factor_axes(matrix.shape, tag, (left, right), share, step == 2, theme)
            size = f"{matrix.shape[0]} × {matrix.shape[1]}"
            notes.append(
                _note(f"<b>{name}</b><br>{size}", (left + right) / 2, MIDDLE + 0.01 + share / 2, theme, "bottom")
            )
            if step < 2:
                notes.append(_note("×" if step == 0 else "=", right + SIGN / 2, MIDDLE, theme, "middle", 18))
            left = right + SIGN
        notes.append(_note(words, part * column - 0.02, 1.02, theme, "top", 11.5, "left", theme.muted))
    drawn = layout(
        theme,
        title="Multiplied beforehand, once per head (weights)",
        height=height,
        annotations=notes,
        margin={"l": 26, "r": 6, "t": 36, "b": 6},
        hovermode="closest",
    )
    return figure(traces, {**drawn, **axes})


def _factor(name: str, matrix: np.ndarray, tag: str, theme: Theme) -> dict[str, Any]:
    """One matrix of a product, its colours symmetric about zero, on the axes `tag`."""
    limit = float(np.abs(matrix).max()) or 1.0
    return {
        "type": "heatmap",
        "z": np.asarray(matrix, np.float32),
        "zmin": -limit,
        "zmax": limit,
        "showscale": False,
        "colorscale": scale(theme.diverging),
        "xaxis": f"x{tag}",
        "yaxis": f"y{tag}",
        "hovertemplate": f"{name}, row %{{y}}, column %{{x}}: %{{z:.5f}}<extra></extra>",
    }


def _factor_axes(
    shape: tuple[int, ...], tag: str, sides: tuple[float, float], share: float, product: bool, theme: Theme
) -> dict[str, dict[str, Any]]:
    """Axes that draw a frame around a matrix between `sides`, `share` of the height tall; the product's frame is in
    colour."""
    edge = {
        **PLAIN,
        "showticklabels": False,
        "ticks": "",
        "showline": True,
        "mirror": True,
        "linecolor": theme.warm if product else theme.grid,
        "linewidth": 2 if product else 1,
        "fixedrange": True,
        "automargin": False,
    }
    across = {"domain": list(sides), "anchor": f"y{tag}", "range": [-0.5, shape[1] - 0.5]}
    down = {"domain": [MIDDLE - share / 2, MIDDLE + share / 2], "anchor": f"x{tag}", "range": [shape[0] - 0.5, -0.5]}
    return {f"xaxis{tag}": {**edge, **across}, f"yaxis{tag}": {**edge, **down}}


def _note(
    text: str, x: float, y: float, theme: Theme, at: str, size: float = 11, side: str = "center", color: str = ""
) -> dict[str, Any]:
    return note(text, x, y, color or theme.ink, size, anchor=(side, at))


def score_parts(
    content: np.ndarray,
    rotary: np.ndarray,
    weights: np.ndarray,
    tokens: list[str],
    theme: Theme,
    *,
    title: str,
    start: int = 0,
    height: int = 350,
) -> go.Figure:
    """A head's score as content and rotary part and their sum, [T, T] each, NaN in the future, and the sum's softmax.

    `start` is the position of the first token that is drawn.
    """
    limit = float(np.nanmax(np.abs([content, rotary, content + rotary]))) or 1.0
    panels = [
        ("content  q<sup>C</sup>·k<sup>C</sup>", content),
        ("rotary  q<sup>R</sup>·k<sup>R</sup>", rotary),
        ("their sum", content + rotary),
        ("softmax (probability)", weights),
    ]
    weighed = {"zmin": 0, "zmax": 1, "colorscale": rooted(theme.sequential)}
    signed = {"zmin": -limit, "zmax": limit, "colorscale": scale(theme.diverging)}
    n, width, gap = len(content), 1 / len(panels), 0.012
    names, traces, axes, notes = named_axes(tokens, n, theme), [], {}, []
    for i, (name, values) in enumerate(panels):
        tag = "" if i == 0 else str(i + 1)
        domain = [i * width + (gap if i else 0), (i + 1) * width - gap]
        colors = weighed if i == 3 else signed
        hover = {"hovertemplate": f"{name}: {names.hover}: %{{z:.4f}}<extra></extra>", "customdata": names.pairs}
        traces.append(_score_map(values, tag, start, {**colors, **hover}))
        ends = [start - 0.5, start + n - 0.5]
        axes[f"xaxis{tag}"] = {**PLAIN, **names.x, "domain": domain, "anchor": f"y{tag}", "range": ends}
        axes[f"yaxis{tag}"] = {**PLAIN, **names.y, "anchor": f"x{tag}", "range": ends[::-1], "showticklabels": i == 0}
        notes.append(_note(name, sum(domain) / 2, 1.0, theme, "bottom"))
    drawn = layout(
        theme,
        title=f"{title} (scaled scores, colours to ±{limit:.1f})",
        height=height,
        annotations=notes,
        margin={"l": 8, "r": 6, "t": 54, "b": 8},
        hovermode="closest",
    )
    return figure(traces, {**drawn, **axes})


def _score_map(values: np.ndarray, tag: str, start: int, style: dict[str, Any]) -> dict[str, Any]:
    """One map [T, T] of a score on the axes `tag`; its first cell is token `start`."""
    return {
        "type": "heatmap",
        "z": np.asarray(values, np.float32),
        "showscale": False,
        "hoverongaps": False,
        "xaxis": f"x{tag}",
        "yaxis": f"y{tag}",
        **style,
        "x0": start,
        "dx": 1,
        "y0": start,
        "dy": 1,
    }


def turning(
    matrices: np.ndarray,
    distances: list[int],
    moved: np.ndarray,
    missed: float,
    theme: Theme,
    *,
    name: str,
    height: int = 360,
) -> go.Figure:
    """W_Q R_t R_s' W_K' at some distances, [N, C, E], walked by a slider; beside it how far it has moved, [M] norms of
    M(0).

    `missed` is what the best single matrix misses, root mean square, in the same unit.
    """
    limit = float(np.abs(matrices).max()) or 1.0

    def marker(index: int) -> dict[str, Any]:
        at = distances[index]
        return {"type": "scatter", "x": np.array([at]), "y": np.array([moved[at]], np.float32)}

    style = {
        "mode": "markers",
        "marker": {"color": theme.warm, "size": 11},
        "xaxis": "x2",
        "yaxis": "y2",
        "hovertemplate": "distance %{x}: moved by %{y:.4f}<extra></extra>",
    }
    top, last = max(1.05 * float(moved.max()), 1.2 * missed, 0.1), max(1, len(moved) - 1)
    rows, cols = matrices.shape[1:]
    drawn = layout(
        theme,
        title="No single matrix between x_t and x_s: it depends on the distance",
        height=height,
        shapes=[_missed_rule(last, missed, theme)],
        annotations=_turning_notes(last, missed, name, theme),
        margin={"l": 44, "r": 8, "t": 56, "b": 70},
        hovermode="closest",
        xaxis={**PLAIN, "domain": [0, 0.5], "range": [-0.5, cols - 0.5]},
        yaxis={**PLAIN, "domain": list(RAISED), "range": [rows - 0.5, -0.5]},
    )
    quiet = {"gridcolor": theme.grid, "zeroline": False, "tickfont": {"size": 10, "color": theme.muted}}
    drawn["xaxis2"] = {**quiet, "domain": [0.56, 1], "anchor": "y2", "range": [0, last]}
    drawn["yaxis2"] = {**quiet, "domain": list(RAISED), "anchor": "x2", "range": [0, top], "nticks": 6}
    frames = [
        [{"type": "heatmap", "z": np.asarray(matrix, np.float32)}, marker(index)]
        for index, matrix in enumerate(matrices)
    ]
    labels = [str(distance) for distance in distances]
    return animated(
        [_turned_matrix(matrices[0], limit, theme), {**marker(0), **style}, *_way(moved, theme)],
        drawn,
        frames,
        labels,
        [0, 1],
        0,
        theme,
        prefix="distance t − s: ",
        duration=700,
    )


def _turning_notes(last: int, missed: float, name: str, theme: Theme) -> list[dict[str, Any]]:
    """The words at the dotted line and above the two panels."""
    return [
        {
            "text": f"missed by the best single matrix: {missed:.2f}",
            "xref": "x2",
            "yref": "y2",
            "x": last,
            "y": missed,
            "xanchor": "right",
            "yanchor": "top",  # the way lies above what it is missed by
            "showarrow": False,
            "bgcolor": theme.veil(0.85),
            "font": {"size": 11, "color": theme.warm},
        },
        _note(
            "how far it has moved at distance t − s, in its norm at 0",
            0.56,
            1.0,
            theme,
            "bottom",
            11,
            "left",
            theme.muted,
        ),
        _note(name, 0.0, 1.0, theme, "bottom", 11, "left", theme.muted),
    ]


def _missed_rule(last: int, missed: float, theme: Theme) -> dict[str, Any]:
    """A dotted line at the error of the best single matrix, up to the distance `last`."""
    return {
        "type": "line",
        "xref": "x2",
        "yref": "y2",
        "x0": 0,
        "x1": last,
        "y0": missed,
        "y1": missed,
        "line": {"color": theme.warm, "width": 1.5, "dash": "dot"},
    }


def _way(moved: np.ndarray, theme: Theme) -> list[dict[str, Any]]:
    """How far the matrix has moved at each distance, [M]; of many, the mean of some together and the span they have.

    It turns within a few tokens: a line through more points than there are pixels would be a block.
    """
    at = {"type": "scatter", "mode": "lines", "xaxis": "x2", "yaxis": "y2"}
    width = -(-len(moved) // MOST_POINTS)
    where, values = np.arange(len(moved), dtype=np.float32), np.asarray(moved, np.float32)
    spans, said = [], "distance %{x}: moved by %{y:.4f}"
    if width > 1:
        count = -(-len(moved) // width)
        places, parts = np.array_split(where, count), np.array_split(values, count)
        where, values = (np.array([part.mean() for part in each]) for each in (places, parts))
        low, high = (np.array([end(part) for part in parts]) for end in (np.min, np.max))
        edge = {**at, "x": where, "line": {"width": 0}, "hoverinfo": "skip"}
        fill = {"fill": "tonexty", "fillcolor": faded(theme.accent, 0.25)}
        spans = [{**edge, "y": low}, {**edge, "y": high, **fill}]
        said = f"about distance %{{x:.0f}}, {width} together: moved by %{{y:.4f}} in the mean"
    line = {"x": where, "y": values, "line": {"color": theme.accent, "width": 2}}
    return [*spans, {**at, **line, "hovertemplate": f"{said}<extra></extra>"}]


def _turned_matrix(matrix: np.ndarray, limit: float, theme: Theme) -> dict[str, Any]:
    """A matrix between two positions, [C, E], with colours from -limit to limit."""
    return {
        "type": "heatmap",
        "z": np.asarray(matrix, np.float32),
        "zmin": -limit,
        "zmax": limit,
        "showscale": False,
        "colorscale": scale(theme.diverging),
        "hovertemplate": "row %{y}, column %{x}: %{z:.5f}<extra></extra>",
    }

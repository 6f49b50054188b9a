"""The tiles of one head in the order of the kernel's loops, with its state and its code, walked in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import MONO, Layer, Theme, escaped, layout, note, scale, ticks, walked

if TYPE_CHECKING:
    from tlmviz.analysis.kernels.kernel_source import Line
    from tlmviz.analysis.kernels.tile_steps import TileStep
    from tlmviz.analysis.kernels.tiling import TileWalk

# Of the figure's width: the map, m_i, l_i and acc of the row block, and the code.
MAP, M_I, L_I, ACC, CODE = (0.0, 0.275), (0.29, 0.33), (0.338, 0.378), (0.386, 0.466), (0.475, 1.0)
TOP, BOTTOM = (0.37, 1.0), (0.0, 0.22)  # of its height: pictures, and the words below them
LETTERS = 72  # of a line of code that fit
CLEAR = "rgba(0,0,0,0)"


def tiles(
    walk: TileWalk,
    weights: np.ndarray,
    tokens: list[str],
    code: tuple[Line, ...],
    steps: list[TileStep],
    theme: Theme,
    *,
    title: str,
    naive: int,
    error: float,
    height: int = 510,
) -> go.Figure:
    """The map in tiles, the state of the running row block (m_i, l_i [R], acc [R, D]) and the kernel's code, step by step.

    `naive` is the count of numbers that standard attention moves, `error` the result's distance from softmax(QK')V.
    """
    length = len(walk.out)
    edges = [np.append(np.arange(0, length, step), length) - 0.5 for step in (walk.cols, walk.rows)]
    traces = [
        _weights(weights, theme),
        *_tile(steps, edges, theme),
        *_state(walk, steps, theme),
        _lit_lines(code, steps, theme),
        _words(steps, naive, error, theme),
        _listing(code, theme),
    ]
    drawn = layout(
        theme,
        title=title,
        height=height,
        margin={"l": 64, "r": 6, "t": 50, "b": 62},
        shapes=_grid(edges, length, theme),
        bargap=0.1,
        annotations=_headings(walk.out.shape[1], walk.rows, theme),
        hovermode="closest",
    )
    return walked(
        traces,
        range(len(steps)),
        [f"{number + 1} of {len(steps)}" for number in range(len(steps))],
        {**drawn, **_map_axes(tokens, theme), **_state_axes(walk, theme), **_text_axes(len(code), theme)},
        min(len(steps) - 1, next((i for i, step in enumerate(steps) if "add" in step.when), 0)),
        theme,
        prefix="step ",
        duration=450,
    )


def _weights(weights: np.ndarray, theme: Theme) -> dict[str, Any]:
    """The map itself, [T, T], empty above the diagonal."""
    return {
        "type": "heatmap",
        "z": np.where(np.tri(len(weights), dtype=bool), weights, np.nan).astype(np.float32),
        "zmin": 0,
        "zmax": max(1e-6, float(np.quantile(weights, 0.98))),
        "colorscale": scale(theme.sequential),
        "showscale": False,
        "hoverongaps": False,
        "hovertemplate": "query %{y}, key %{x}: probability %{z:.5f}<extra></extra>",
    }


def _tile(steps: list[TileStep], edges: list[np.ndarray], theme: Theme) -> list[Layer]:
    """Veils over the tiles that are not computed yet or never will be, and a frame around the running one."""
    veil = theme.veil(0.8)
    levels = [
        [0, veil],
        [0.33, veil],
        [0.34, CLEAR],
        [0.66, CLEAR],
        [0.67, theme.missing],
        [1, theme.missing],
    ]
    veils = {
        "x": edges[0],
        "y": edges[1],
        "zmin": 0,
        "zmax": 2,
        "colorscale": levels,
        "showscale": False,
        "hoverinfo": "skip",
    }
    line = {"mode": "lines", "line": {"color": theme.warm, "width": 2.5}, "hoverinfo": "skip"}

    def frame(number: int) -> dict[str, Any]:
        y0, y1, x0, x1 = (edge - 0.5 for edge in steps[number].box)
        return {"type": "scatter", "x": [x0, x1, x1, x0, x0], "y": [y0, y0, y1, y1, y0]}

    return [Layer(veils, lambda number: {"type": "heatmap", "z": steps[number].grid}), Layer(line, frame)]


def _state(walk: TileWalk, steps: list[TileStep], theme: Theme) -> list[Layer]:
    """m_i and l_i as bars and acc as a heatmap, a row per query of the block."""
    bar = {
        "y": np.arange(walk.rows),
        "orientation": "h",
        "marker": {"color": theme.accent, "line": {"width": 0}},
    }
    hover = "row %{{y}} of the block: {} = %{{x:.5f}}<extra></extra>"
    limit = float(np.abs(np.concatenate([visit.acc.ravel() for visit in walk.visits])).max()) or 1.0
    output = {
        "zmin": -limit,
        "zmax": limit,
        "colorscale": scale(theme.diverging),
        "showscale": False,
        "xaxis": "x4",
        "yaxis": "y4",
        "hoverongaps": False,
        "hovertemplate": "row %{y}, dimension %{x}: %{z:.5f}<extra></extra>",
    }
    return [
        Layer(
            {**bar, "xaxis": "x2", "yaxis": "y2", "hovertemplate": hover.format("m_i")},
            lambda number: {"type": "bar", "x": _plain(steps[number].m_i)},
        ),
        Layer(
            {**bar, "xaxis": "x3", "yaxis": "y3", "hovertemplate": hover.format("l_i")},
            lambda number: {"type": "bar", "x": _plain(steps[number].l_i)},
        ),
        Layer(output, lambda number: {"type": "heatmap", "z": steps[number].acc}),
    ]


def _lit_lines(code: tuple[Line, ...], steps: list[TileStep], theme: Theme) -> Layer:
    """The background of the lines of code that a step runs."""
    static = {
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, CLEAR], [1, "#ffe3c2" if theme.name == "light" else "#5a3a17"]],
        "showscale": False,
        "hoverinfo": "skip",
        "x": [0.5],
        "y": np.arange(len(code)),
        "xaxis": "x5",
        "yaxis": "y5",
    }

    def moving(number: int) -> dict[str, Any]:
        lit = [[1 if line.when in steps[number].when else 0] for line in code]
        return {"type": "heatmap", "z": np.array(lit, np.uint8)}

    return Layer(static, moving)


def _words(steps: list[TileStep], naive: int, error: float, theme: Theme) -> Layer:
    """Each step in words: its program, what it does, and the numbers moved so far."""
    programs = steps[-1].program + 1
    static = {
        "x": [0],
        "y": [1],
        "mode": "text",
        "textposition": "bottom right",
        "hoverinfo": "skip",
        "cliponaxis": False,
        "textfont": {"size": 12, "color": theme.ink},
        "xaxis": "x6",
        "yaxis": "y6",
    }

    def moving(number: int) -> dict[str, Any]:
        step, (first, last) = steps[number], steps[number].box[:2]
        head = f"<b>Program {step.program + 1} of {programs}</b>: queries {first}–{last - 1}"
        moved = f"Numbers moved so far {step.moved:,}; naive attention moves {naive:,}"
        end = f"Result − softmax(QKᵀ)V: at most {error:.1e}" if step is steps[-1] else ""
        return {"type": "scatter", "text": ["<br>".join([head, *step.words, moved, end])]}

    return Layer(static, moving)


def _listing(code: tuple[Line, ...], theme: Theme) -> dict[str, Any]:
    """The kernel's code as text."""
    return {
        "type": "scatter",
        "x": np.zeros(len(code)),
        "y": np.arange(len(code)),
        "mode": "text",
        "textposition": "middle right",
        "text": [_code(line, theme) for line in code],
        "cliponaxis": False,
        "xaxis": "x5",
        "yaxis": "y5",
        "textfont": {"family": MONO, "size": 10, "color": theme.ink},
        "customdata": [escaped(line.code.strip()) for line in code],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _grid(edges: list[np.ndarray], length: int, theme: Theme) -> list[dict]:
    """Lines between the tiles."""
    line = {"type": "line", "line": {"color": theme.muted, "width": 1}, "opacity": 0.4}
    columns = [{**line, "x0": edge, "x1": edge, "y0": -0.5, "y1": length - 0.5} for edge in edges[0][1:-1]]
    return columns + [
        {**line, "y0": edge, "y1": edge, "x0": -0.5, "x1": length - 0.5} for edge in edges[1][1:-1]
    ]


def _map_axes(tokens: list[str], theme: Theme) -> dict[str, dict]:
    """Axes of the map, with the tokens that fit. They replace the layout's own two."""
    length, names = len(tokens), tuple(tokens)
    where, plain = np.arange(length), layout(theme, title="")
    x = {**_axis(theme, MAP, "y"), "range": [-0.5, length - 0.5], **ticks(where, names, 16), "tickangle": -60}
    y = {**_axis(theme, TOP, "x"), "range": [length - 0.5, -0.5], **ticks(where, names, 22)}
    return {"xaxis": {**plain["xaxis"], **x}, "yaxis": {**plain["yaxis"], **y}}


def _state_axes(walk: TileWalk, theme: Theme) -> dict[str, dict]:
    """Axes of m_i, l_i and acc: only the ends of the bars are labelled."""
    tops = np.concatenate([visit.m_i for visit in walk.visits])
    tops = tops[np.isfinite(tops)]
    low, high = (min(0.0, float(tops.min())), max(0.0, float(tops.max()))) if len(tops) else (0.0, 1.0)
    sums = max(float(visit.l_i.max()) for visit in walk.visits)
    axes = {}
    for axis, where, reach in (
        (2, M_I, [1.05 * low, 1.05 * high or 1]),
        (3, L_I, [0, 1.05 * sums or 1]),
        (4, ACC, [-0.5, walk.out.shape[1] - 0.5]),
    ):
        ends = {"tickvals": reach[1:], "ticktext": [f"{reach[1] / 1.05:.2g}"]}
        more = {"showticklabels": False} if axis == 4 else ends
        down = {"range": [walk.rows - 0.5, -0.5], "visible": True, "showticklabels": False}
        axes[f"xaxis{axis}"] = {**_axis(theme, where, f"y{axis}"), "range": reach, "visible": True, **more}
        axes[f"yaxis{axis}"] = {**_axis(theme, TOP, f"x{axis}"), **down}
    return axes


def _text_axes(lines: int, theme: Theme) -> dict[str, dict]:
    """Hidden axes of the code, a row per line, and of the words."""
    plain = {"visible": False, "showticklabels": False}
    return {
        "xaxis5": {**_axis(theme, CODE, "y5"), "range": [0, 1], **plain},
        "yaxis5": {**_axis(theme, (0.0, 1.0), "x5"), "range": [lines - 0.5, -0.5], **plain},
        "xaxis6": {**_axis(theme, (0, 0.5), "y6"), "range": [0, 1], "visible": False},
        "yaxis6": {**_axis(theme, BOTTOM, "x6"), "range": [0, 1], "visible": False},
    }


def _headings(width: int, rows: int, theme: Theme) -> list[dict]:
    code = "kernels/attention_triton.py, running lines lit"
    names = (
        (MAP, "weights (probability)"),
        (M_I, "m_i"),
        (L_I, "l_i"),
        (ACC, f"acc [{rows}, {width}]"),
        (CODE, code),
    )
    return [note(name, place[0], 1, theme.muted) for place, name in names]


def _code(line: Line, theme: Theme) -> str:
    """A line with its number as Plotly text: spaces that stay, no markup, cut where the figure ends."""
    text = line.code if len(line.code) <= LETTERS else line.code[: LETTERS - 1] + "…"
    text = escaped(text).replace(" ", "\u00a0")
    return f'<span style="color:{theme.muted}">{line.number:3}</span>\u00a0{text}'


def _plain(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.float32(np.nan))


def _axis(theme: Theme, domain: tuple[float, float], anchor: str) -> dict:
    return {
        "domain": list(domain),
        "anchor": anchor,
        "zeroline": False,
        "showgrid": False,
        "fixedrange": True,
        "linecolor": theme.grid,
        "showline": True,
        "mirror": True,
        "ticks": "",
        "tickfont": {"size": 9, "color": theme.muted},
    }

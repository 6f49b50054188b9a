"""The tiles of one head in the order of the kernel's loops, with its state and its code, walked in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import MONO, Theme, animated, layout, scale, ticks

if TYPE_CHECKING:
    from tlmviz.analysis.kernels.kernel_source import Line
    from tlmviz.analysis.kernels.tile_steps import TileStep
    from tlmviz.analysis.kernels.tiling import TileWalk

# Of the figure's width: the map, m, z and N of the row block, and the code.
MAP, M, Z, N, CODE = (0.0, 0.275), (0.29, 0.33), (0.338, 0.378), (0.386, 0.466), (0.475, 1.0)
TOP, BOTTOM = (0.37, 1.0), (0.0, 0.22)  # of its height: pictures, and the words below them
LETTERS = 72  # of a line of code that fit


def tiles(
    walked: TileWalk,
    weights: np.ndarray,
    tokens: list[str],
    code: tuple[Line, ...],
    shown: list[TileStep],
    theme: Theme,
    *,
    title: str,
    naive: int,
    error: float,
    height: int = 510,
) -> go.Figure:
    """The map in tiles, the state of the running row block (m, z [R], N [R, D]) and the kernel's code, step by step.

    `naive` is the count of numbers that standard attention moves, `error` the result's distance from softmax(QK')V.
    """
    length, width = walked.out.shape
    at = min(len(shown) - 1, next((i for i, step in enumerate(shown) if "add" in step.when), 0))
    programs = shown[-1].program + 1
    states = np.concatenate([visit.n.ravel() for visit in walked.visits])
    limit = float(np.abs(states).max()) or 1.0
    tops = np.concatenate([visit.m for visit in walked.visits])
    tops = tops[np.isfinite(tops)]
    ends = [min(0.0, float(tops.min())), max(0.0, float(tops.max()))] if len(tops) else [0.0, 1.0]
    sums = max(float(visit.z.max()) for visit in walked.visits)
    edges = [np.append(np.arange(0, length, step), length) - 0.5 for step in (walked.cols, walked.rows)]
    inside = np.arange(walked.rows)
    clear, veil = "rgba(0,0,0,0)", theme.veil(0.8)
    levels = [
        [0, veil],
        [0.33, veil],
        [0.34, clear],
        [0.66, clear],
        [0.67, theme.missing],
        [1, theme.missing],
    ]

    def words(state: TileStep) -> str:
        first, last = state.box[:2]
        head = f"<b>Program {state.program + 1} of {programs}</b>: queries {first}–{last - 1}"
        end = f"Result − softmax(QKᵀ)V: at most {error:.1e}" if state is shown[-1] else ""
        moved = f"Numbers moved so far {state.moved:,}; naive attention moves {naive:,}"
        return "<br>".join([head, *state.words, moved, end])

    def moving(state: TileStep, fixed: bool = False) -> list[dict]:
        y0, y1, x0, x1 = (edge - 0.5 for edge in state.box)
        lit = np.array([[1 if line.when in state.when else 0] for line in code], np.uint8)
        changing: list[dict] = [
            {"type": "heatmap", "z": state.grid},
            {"type": "scatter", "x": [x0, x1, x1, x0, x0], "y": [y0, y0, y1, y1, y0]},
            {"type": "bar", "x": _plain(state.m)},
            {"type": "bar", "x": _plain(state.z)},
            {"type": "heatmap", "z": state.n},
            {"type": "heatmap", "z": lit},
            {"type": "scatter", "text": [words(state)]},
        ]
        if not fixed:
            return changing
        bar = {"y": inside, "orientation": "h", "marker": {"color": theme.accent, "line": {"width": 0}}}
        styles: list[dict[str, Any]] = [
            {
                "x": edges[0],
                "y": edges[1],
                "zmin": 0,
                "zmax": 2,
                "colorscale": levels,
                "showscale": False,
                "hoverinfo": "skip",
            },
            {"mode": "lines", "line": {"color": theme.warm, "width": 2.5}, "hoverinfo": "skip"},
            {
                **bar,
                "xaxis": "x2",
                "yaxis": "y2",
                "hovertemplate": "row %{y} of the block: m = %{x:.5f}<extra></extra>",
            },
            {
                **bar,
                "xaxis": "x3",
                "yaxis": "y3",
                "hovertemplate": "row %{y} of the block: z = %{x:.5f}<extra></extra>",
            },
            {
                "zmin": -limit,
                "zmax": limit,
                "colorscale": scale(theme.diverging),
                "showscale": False,
                "xaxis": "x4",
                "yaxis": "y4",
                "hoverongaps": False,
                "hovertemplate": "row %{y}, dimension %{x}: %{z:.5f}<extra></extra>",
            },
            {
                "zmin": 0,
                "zmax": 1,
                "colorscale": [[0, clear], [1, _lit(theme)]],
                "showscale": False,
                "hoverinfo": "skip",
                "x": [0.5],
                "y": np.arange(len(code)),
                "xaxis": "x5",
                "yaxis": "y5",
            },
            {
                "x": [0],
                "y": [1],
                "mode": "text",
                "textposition": "bottom right",
                "hoverinfo": "skip",
                "cliponaxis": False,
                "textfont": {"size": 12, "color": theme.ink},
                "xaxis": "x6",
                "yaxis": "y6",
            },
        ]
        return [{**data, **style} for data, style in zip(changing, styles)]

    where, names = np.arange(length), tuple(tokens)  # ticks() makes labels of them
    heat = {
        "type": "heatmap",
        "z": np.where(np.tri(length, dtype=bool), weights, np.nan).astype(np.float32),
        "zmin": 0,
        "zmax": max(1e-6, float(np.quantile(weights, 0.98))),
        "colorscale": scale(theme.sequential),
        "showscale": False,
        "hoverongaps": False,
        "hovertemplate": "query %{y}, key %{x}: probability %{z:.5f}<extra></extra>",
    }
    text = {
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
        "customdata": [_escaped(line.code.strip()) for line in code],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    traces = [heat, *moving(shown[at], fixed=True), text]
    line = {"type": "line", "line": {"color": theme.muted, "width": 1}, "opacity": 0.4}
    grid = [{**line, "x0": edge, "x1": edge, "y0": -0.5, "y1": length - 0.5} for edge in edges[0][1:-1]]
    grid += [{**line, "y0": edge, "y1": edge, "x0": -0.5, "x1": length - 0.5} for edge in edges[1][1:-1]]
    drawn = layout(
        theme,
        title=title,
        height=height,
        margin={"l": 64, "r": 6, "t": 50, "b": 62},
        shapes=grid,
        bargap=0.1,
        annotations=_headings(width, walked.rows, theme),
        hovermode="closest",
        xaxis={
            **_axis(theme, MAP, "y"),
            "range": [-0.5, length - 0.5],
            **ticks(where, names, 16),
            "tickangle": -60,
        },
        yaxis={**_axis(theme, TOP, "x"), "range": [length - 0.5, -0.5], **ticks(where, names, 22)},
    )
    low, high = ends
    for axis, where, reach in (
        (2, M, [1.05 * low, 1.05 * high or 1]),
        (3, Z, [0, 1.05 * sums or 1]),
        (4, N, [-0.5, width - 0.5]),
        (5, CODE, [0, 1]),
    ):
        down = [len(code) - 0.5, -0.5] if axis == 5 else [walked.rows - 0.5, -0.5]
        seen = axis != 5
        more = (
            {"tickvals": reach[1:], "ticktext": [f"{reach[1] / 1.05:.2g}"]}
            if axis in (2, 3)
            else {"showticklabels": False}
        )
        drawn[f"xaxis{axis}"] = {**_axis(theme, where, f"y{axis}"), "range": reach, "visible": seen, **more}
        high_up = (0.0, 1.0) if axis == 5 else TOP
        drawn[f"yaxis{axis}"] = {
            **_axis(theme, high_up, f"x{axis}"),
            "range": down,
            "visible": seen,
            "showticklabels": False,
        }
    drawn["xaxis6"] = {**_axis(theme, (0, 0.5), "y6"), "range": [0, 1], "visible": False}
    drawn["yaxis6"] = {**_axis(theme, BOTTOM, "x6"), "range": [0, 1], "visible": False}
    labels = [f"{i + 1} of {len(shown)}" for i in range(len(shown))]
    return animated(
        traces,
        drawn,
        [moving(state) for state in shown],
        labels,
        list(range(1, 8)),
        at,
        theme,
        prefix="step ",
        duration=450,
    )


def _headings(width: int, rows: int, theme: Theme) -> list[dict]:
    code = "kernels/attention_triton.py, running lines lit"
    names = ((MAP, "weights (probability)"), (M, "m"), (Z, "z"), (N, f"N [{rows}, {width}]"), (CODE, code))
    return [
        {
            "text": name,
            "xref": "paper",
            "yref": "paper",
            "x": place[0],
            "y": 1,
            "xanchor": "left",
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": 11, "color": theme.muted},
        }
        for place, name in names
    ]


def _code(line: Line, theme: Theme) -> str:
    """A line with its number as Plotly text: spaces that stay, no markup, cut where the figure ends."""
    text = line.code if len(line.code) <= LETTERS else line.code[: LETTERS - 1] + "…"
    text = _escaped(text).replace(" ", "\u00a0")
    return f'<span style="color:{theme.muted}">{line.number:3}</span>\u00a0{text}'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _lit(theme: Theme) -> str:
    return "#ffe3c2" if theme.name == "light" else "#5a3a17"


def _fill(values: np.ndarray, pad: int) -> np.ndarray:
    """A short last block, filled up to the block's size with NaN."""
    empty = np.full((pad, *values.shape[1:]), np.nan, np.float32)
    return np.concatenate([np.asarray(values, np.float32), empty])


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

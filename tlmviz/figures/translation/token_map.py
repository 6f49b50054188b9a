"""One attention map between named tokens, with what a mask forbids marked in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, colorbar, figure, frame, layout, rooted, token_label, token_labels

PLAIN = {"showgrid": False, "zeroline": False, "fixedrange": True, "automargin": False}
NAMED = {"x": 22, "y": 30}  # tokens that are still named along an axis
CROSSED = 26  # tokens up to which forbidden cells are crossed out one by one
WRITTEN = 36  # cells up to which the weights are written into them


def token_map(
    weights: np.ndarray,
    rows: list[str],
    cols: list[str],
    theme: Theme,
    *,
    title: str,
    x: str = "",
    y: str = "",
    chosen: int | None = None,
    mask: str = "none",
    bar: bool = True,
    height: int = 350,
) -> go.Figure:
    """Weights [R, C] in [0, 1], a row for each token that looks and a column for each that is looked at.

    `mask`: "none"; "causal" marks the cells to the right of the diagonal as forbidden; "missing" draws the border that
    a causal mask would have, and leaves the cells beyond it. The row `chosen` is framed. Maps beside each other share
    one colour `bar`: all reach from 0 to 1.
    """
    z = np.array(weights, np.float32)
    (steps, size), forbidden = z.shape, np.triu(np.ones(z.shape, bool), 1)
    cells = {**_cells(z, rows, cols, theme), "showscale": bar}
    traces = [cells]
    if mask == "causal" and forbidden.any():
        z[forbidden] = np.nan
        traces += _forbidden(forbidden, theme)
    elif mask == "missing":
        traces.append(_border(steps, theme))
    frames = [] if chosen is None else [frame((-0.5, size - 0.5), (chosen - 0.5, chosen + 0.5), theme.warm, 2.5)]
    return figure(
        traces,
        layout(
            theme,
            title=title,
            height=height,
            margin={"l": 84, "r": 4, "t": 34, "b": 72},
            shapes=frames,
            hovermode="closest",
            xaxis={
                **PLAIN,
                **_ticks(cols, -50, NAMED["x"]),
                "range": [-0.5, size - 0.5],
                "title": {"text": x, "font": {"size": 11}},
            },
            yaxis={
                **PLAIN,
                **_ticks(rows, 0, NAMED["y"]),
                "range": [steps - 0.5, -0.5],
                "title": {"text": y, "font": {"size": 11}},
            },
        ),
    )


def beside(count: int) -> list[float]:
    """Shares of the width for so many maps beside each other, the last of which has the colour bar."""
    return [1.0] * (count - 1) + [1.0 + 0.03 * count]


def _cells(z: np.ndarray, rows: list[str], cols: list[str], theme: Theme) -> dict[str, Any]:
    """The map itself; the weights of a small one are written into its cells."""
    names = [[[token_label(row, 18), token_label(col, 18)] for col in cols] for row in rows]
    cells: dict[str, Any] = {
        "type": "heatmap",
        "z": z,
        "zmin": 0,
        "zmax": 1,
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
        "colorscale": rooted(theme.sequential),  # small weights stay visible
        "customdata": np.array(names),
        "hovertemplate": "“%{customdata[0]}” looks at “%{customdata[1]}”: %{z:.5f}<extra></extra>",
        "colorbar": colorbar(theme, thickness=6, size=9, nticks=3, xpad=4, ypad=0),
    }
    if z.size <= WRITTEN:
        cells |= {"texttemplate": "%{z:.2f}", "textfont": {"size": 11}}
    return cells


def _forbidden(forbidden: np.ndarray, theme: Theme) -> list[dict[str, Any]]:
    """Grey cells, crossed out while there is room for crosses."""
    grey = {
        "type": "heatmap",
        "z": np.where(forbidden, 1, np.nan).astype(np.float32),
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "colorscale": [[0, theme.missing], [1, theme.missing]],
        "hoverongaps": False,
        "hovertemplate": "forbidden: the future<extra></extra>",
    }
    if len(forbidden) > CROSSED:
        return [grey]
    row, col = np.nonzero(forbidden)
    return [
        grey,
        {
            "type": "scatter",
            "mode": "markers",
            "x": col.astype(np.float32),
            "y": row.astype(np.float32),
            "hoverinfo": "skip",
            "marker": {"symbol": "x-thin", "size": 6, "line": {"width": 1, "color": theme.muted}, "opacity": 0.6},
        },
    ]


def _border(steps: int, theme: Theme) -> dict[str, Any]:
    """The staircase right of the diagonal."""
    return {
        "type": "scatter",
        "mode": "lines",
        "hoverinfo": "skip",
        "x": np.repeat(np.arange(steps, dtype=np.float32) + 0.5, 2),
        "y": np.repeat(np.arange(steps + 1, dtype=np.float32) - 0.5, 2)[1:-1],
        "line": {"color": theme.ink, "width": 1.5, "dash": "dot"},
    }


def _ticks(names: list[str], angle: int, most: int) -> dict[str, Any]:
    step = -(-len(names) // most)
    return {
        "tickvals": np.arange(0, len(names), step),
        "ticktext": token_labels(names[::step], 11),
        "tickangle": angle,
        "tickfont": {"size": 11 if len(names) <= 18 else 8},
    }

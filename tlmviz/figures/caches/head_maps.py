"""Attention maps of many heads, models or conditions on one grid, and one head of several side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import GROUPS, Theme, figure, frame, layout, named_axes, note, rooted, scale, token_label

PLAIN = {"showgrid": False, "zeroline": False}


def grid(
    pictures: np.ndarray,
    rows: list[str],
    groups: np.ndarray,
    hover: list[list[str]],
    chosen: int | None,
    theme: Theme,
    *,
    title: str,
    height: int = 500,
) -> go.Figure:
    """Maps [R, H, n, n] in rows and columns of heads; a bar over each names its key/value head, [R, H], by colour.

    `hover` says of each map what it is; the column of head `chosen` is framed. A click on a map selects its marker,
    whose customdata is (row, head).
    """
    count, heads, n, _ = pictures.shape
    step = n + 3
    heat = _tiled_maps(pictures, step, theme)
    row, head = (index.ravel() for index in np.indices((count, heads)))
    centre = np.float32((n - 1) / 2)
    marks = {
        "type": "scatter",
        "x": head * step + centre,
        "y": row * step + centre,
        "mode": "markers",
        "marker": {"symbol": "square", "size": 0.75 * (height - 80) / count, "color": "rgba(0,0,0,0)"},
        "customdata": np.stack((row, head), 1).tolist(),  # a typed array would come back from a click as a dictionary
        "hovertext": [text for line in hover for text in line],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    shapes = _group_bars(groups, step, n)
    if chosen is not None:
        left = chosen * step
        shapes.append(frame((left - 2, left + n + 1), (-2.3, count * step - 1.8), theme.warm, 2))
    return figure(
        [heat, marks],
        layout(
            theme,
            title=title,
            x="head",
            height=height,
            shapes=shapes,
            dragmode=False,
            hovermode="closest",
            clickmode="event+select",
            xaxis={
                **PLAIN,
                "tickvals": np.arange(heads) * step + centre,
                "ticktext": [str(h) for h in range(heads)],
                "range": [-1.5, heads * step - 1.5],
                "fixedrange": True,
            },
            yaxis={
                **PLAIN,
                "tickvals": np.arange(count) * step + centre,
                "ticktext": rows,
                "range": [count * step - 1.5, -2.5],
                "fixedrange": True,
            },
        ),
    )


def _group_bars(groups: np.ndarray, step: int, n: int) -> list[dict[str, Any]]:
    """A bar over each map, in the colour of its key/value head, [R, H]."""
    return [
        {
            "type": "line",
            "x0": h * step - 0.5,
            "x1": h * step + n - 0.5,
            "y0": r * step - 1.2,
            "y1": r * step - 1.2,
            "line": {"color": GROUPS[int(groups[r, h]) % len(GROUPS)], "width": 3},
        }
        for r, h in np.ndindex(*groups.shape)
    ]


def _tiled_maps(pictures: np.ndarray, step: int, theme: Theme) -> dict[str, Any]:
    """All maps [R, H, n, n] as one heatmap of bytes, on a square-root scale, a map every `step` cells."""
    count, heads, n, _ = pictures.shape
    cells = np.zeros((count * step, heads * step), np.uint8)
    for row, head in np.ndindex(count, heads):
        bytes_ = np.rint(255 * np.sqrt(pictures[row, head].clip(0, 1)))
        cells[row * step : row * step + n, head * step : head * step + n] = bytes_
    return {
        "type": "heatmap",
        "z": cells,
        "zmin": 0,
        "zmax": 255,
        "colorscale": scale(theme.sequential),
        "showscale": False,
        "hoverinfo": "skip",
    }


def beside(
    maps: list[np.ndarray], names: list[str], tokens: list[str], theme: Theme, *, title: str, height: int = 320
) -> go.Figure:
    """One head of several models, each map [n, n] exact with its own axes; tokens are named where they fit."""
    width, gap, colors = 1 / len(maps), 0.012, rooted(theme.sequential)
    traces, axes, notes = [], {}, []
    for i, (values, name) in enumerate(zip(maps, names)):
        n, tag = len(values), "" if i == 0 else str(i + 1)
        domain, labels = [i * width + (gap if i else 0), (i + 1) * width - gap], named_axes(tokens, n, theme)
        traces.append(
            {
                "type": "heatmap",
                "z": np.asarray(values, np.float32),
                "zmin": 0,
                "zmax": 1,
                "showscale": False,
                "colorscale": colors,
                "xaxis": f"x{tag}",
                "yaxis": f"y{tag}",
                "customdata": labels.pairs,
                **labels.span,
                "hovertemplate": f"{token_label(name, 40)}, {labels.hover}: %{{z:.5f}}<extra></extra>",
            }
        )
        axes[f"xaxis{tag}"] = {
            **PLAIN,
            **labels.x,
            "domain": domain,
            "anchor": f"y{tag}",
            "range": [-0.5, len(tokens) - 0.5],
        }
        axes[f"yaxis{tag}"] = {
            **PLAIN,
            **labels.y,
            "anchor": f"x{tag}",
            "range": [len(tokens) - 0.5, -0.5],
            "showticklabels": i == 0,
        }
        notes.append(note(token_label(name, 40), sum(domain) / 2, 1, theme.ink, anchor=("center", "bottom")))
    drawn = layout(theme, title=title, height=height, annotations=notes, margin={"l": 8, "r": 6, "t": 52, "b": 8})
    return figure(traces, {**drawn, **axes})

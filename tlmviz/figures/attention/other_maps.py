"""Maps that are not of one causal text: between two texts, and over the patches of an image."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, colorbar, faded, figure, frame, layout, rooted

GAP = 3  # cells between two tiles
PLAIN = {"showgrid": False, "zeroline": False, "fixedrange": True}
NAMED = 16  # layers, or heads, that are still named one by one


def all_heads(pictures: np.ndarray, chosen: tuple[int, int], theme: Theme, height: int = 430) -> go.Figure:
    """Pooled maps [L, H, n, n] as tiles, layers downwards and heads across; the chosen one is framed.

    A click on a tile selects its marker, whose customdata is (layer, head).
    """
    layers, heads, n, _ = pictures.shape
    step = n + GAP
    canvas = np.full((layers * step - GAP, heads * step - GAP), np.nan, np.float32)
    for layer, head in np.ndindex(layers, heads):
        canvas[layer * step : layer * step + n, head * step : head * step + n] = pictures[layer, head]
    layer, head = (index.ravel() for index in np.indices((layers, heads)))
    middle = (n - 1) / 2
    tiles = dict(
        type="heatmap",
        z=canvas,
        zmin=0,
        zmax=1,
        colorscale=rooted(theme.sequential),
        showscale=False,
        hoverinfo="skip",
        hoverongaps=False,
    )
    clicks = dict(
        type="scatter",
        mode="markers",
        x=head * step + middle,
        y=layer * step + middle,
        marker={"symbol": "square", "size": 18, "color": "rgba(0,0,0,0)"},
        # lists: a typed array would come back from a click as a dictionary
        customdata=np.stack((layer, head), 1).tolist(),
        hovertemplate="layer %{customdata[0]}, head %{customdata[1]}<extra></extra>",
    )
    top, left = chosen[0] * step, chosen[1] * step
    return figure(
        [tiles, clicks],
        layout(
            theme,
            title="All heads (largest weight per bin)",
            x="head",
            y="layer",
            height=height,
            shapes=[frame((left - 1.5, left + n + 0.5), (top - 1.5, top + n + 0.5), theme.warm, 2)],
            clickmode="event+select",
            dragmode=False,
            xaxis={**PLAIN, **_names(heads, step, middle)},
            yaxis={**PLAIN, **_names(layers, step, middle), "range": [len(canvas) + 0.5, -1.5]},
        ),
    )


def _names(count: int, step: int, middle: float) -> dict[str, Any]:
    every = -(-count // NAMED)
    shown = np.arange(0, count, every)
    return {"tickvals": shown * step + middle, "ticktext": [str(index) for index in shown]}


def over_image(
    weights: np.ndarray,
    source: str,
    size: tuple[int, int],
    asked: tuple[int, int] | None,
    theme: Theme,
    *,
    title: str,
    height: int = 460,
) -> go.Figure:
    """One query's weights [rows, columns] over the image whose patches they fall on: its address, and its height and
    width.

    The patch that asks is framed, where it is one. A click on a patch selects its marker, whose customdata is its
    number.
    """
    rows, columns = weights.shape
    wide, high = columns / size[1], rows / size[0]
    picture = dict(
        type="image", source=source, dx=wide, dy=high, x0=-0.5 + wide / 2, y0=-0.5 + high / 2, hoverinfo="skip"
    )
    heat = dict(
        type="heatmap",
        z=weights.astype(np.float32),
        zmin=0,
        colorscale=[[stop**2, faded(theme.warm, 0.92 * stop)] for stop in np.linspace(0, 1, 9)],
        colorbar=colorbar(theme),
        hovertemplate="patch %{y},%{x}: %{z:.5f}<extra></extra>",
    )
    row, column = (index.ravel() for index in np.indices((rows, columns)))
    clicks = dict(
        type="scatter",
        mode="markers",
        x=column.astype(np.float32),
        y=row.astype(np.float32),
        marker={"symbol": "square", "size": 14, "color": "rgba(0,0,0,0)"},
        customdata=(row * columns + column).tolist(),
        text=[f"{weight:.5f}" for weight in weights.ravel()],
        hovertemplate="patch %{y},%{x}: %{text}<extra></extra>",
    )
    shapes = []
    if asked is not None:
        y, x = asked
        shapes.append(frame((x - 0.5, x + 0.5), (y - 0.5, y + 0.5), theme.accent, 3))
    return figure(
        [picture, heat, clicks],
        layout(
            theme,
            title=title,
            height=height,
            shapes=shapes,
            clickmode="event+select",
            dragmode=False,
            xaxis={**PLAIN, "visible": False, "range": [-0.5, columns - 0.5], "constrain": "domain"},
            yaxis={**PLAIN, "visible": False, "range": [rows - 0.5, -0.5], "scaleanchor": "x", "scaleratio": 1},
        ),
    )

"""Shapes laid over a chart: frames around cells and rows, upright rules, shaded spans of x."""

from __future__ import annotations

from typing import Any


def frame(x: tuple[float, float], y: tuple[float, float], color: str, width: float) -> dict[str, Any]:
    """The outline of a rectangle from x[0] to x[1] and y[0] to y[1], in the axes' units."""
    return {"type": "rect", "x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1], "line": {"color": color, "width": width}}


def row_frame(y: tuple[float, float], color: str, width: float) -> dict[str, Any]:
    """The outline of a row from y[0] to y[1] over the whole width of the x axis."""
    return {
        "type": "rect",
        "xref": "x domain",
        "x0": 0,
        "x1": 1,
        "y0": y[0],
        "y1": y[1],
        "line": {"color": color, "width": width},
    }


def upright(x: float, **line: Any) -> dict[str, Any]:
    """A rule at `x` over the whole height of the figure; `line` is its style: color, width, dash."""
    return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": line}


def shaded(x0: float, x1: float, color: str, opacity: float) -> dict[str, Any]:
    """A span of x, filled below the traces over the whole height of the figure."""
    return {
        "type": "rect",
        "x0": x0,
        "x1": x1,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "fillcolor": color,
        "opacity": opacity,
        "line": {"width": 0},
        "layer": "below",
    }

"""The rotation of RoPE step by step: angle table, cos and sin, the pairs, their rotation, and back into place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Layer, Theme, layout, note, scale, ticks, walked
from tlmviz.figures.written import number

if TYPE_CHECKING:
    from tlmviz.analysis.positions.rope_planes import Rotation

ROWS = 48  # positions that are drawn
UPPER, LOWER = (0.58, 1.0), (0.0, 0.43)  # of the figure's height
GAP = 0.022


def shown_rows(length: int, row: int, most: int = ROWS) -> slice:
    """The rows to draw of a text: all of a short one, of a long one those around `row`."""
    start = min(max(0, row - most // 2), max(0, length - most))
    return slice(start, min(length, start + most))


def rotation(
    steps: Rotation,
    tokens: list[str],
    row: int,
    base: float,
    theme: Theme,
    *,
    title: str,
    name: str = "Q",
    height: int = 520,
) -> go.Figure:
    """Every matrix on the way from x to its rotation, [T, P] or [T, D]; the slider walks over the planes.

    Row `row` is followed in numbers. `tokens` names the rows, T at most `ROWS`.
    """
    planes = len(steps.frequency)
    panels = _panels(steps, name)
    margin = {"l": 6, "r": 6, "t": 54, "b": 60}
    drawn = layout(theme, title=title, height=height, margin=margin, hovermode="closest")
    traces: list[dict[str, Any] | Layer] = []
    for place, panel in enumerate(panels, 1):
        traces.append(_heat(panel, steps, place, theme))
        names = ticks(steps.positions, tuple(tokens), 14) if place in (1, 4) else {"showticklabels": False}
        across = [-0.5, panel.values.shape[1] - 0.5]
        down = [steps.positions[-1] + 0.5, steps.positions[0] - 0.5]
        drawn[f"xaxis{place}"] = _axis(theme, panel.across, f"y{place}", range=across, nticks=6)
        drawn[f"yaxis{place}"] = _axis(theme, panel.up, f"x{place}", range=down, **names)
    drawn["annotations"] = [note(panel.label, panel.across[0], panel.up[1], theme.muted) for panel in panels]
    text = len(panels) + 1
    drawn[f"xaxis{text}"] = _axis(theme, (0.715, 1.0), f"y{text}", range=[0, 1], visible=False)
    drawn[f"yaxis{text}"] = _axis(theme, UPPER, f"x{text}", range=[0, 1], visible=False)
    traces += [
        _full_turn(steps, theme),
        *(_frame(panel, steps, row, place, theme) for place, panel in enumerate(panels, 1)),
        _numbers(steps, row, base, text, theme),
    ]
    return walked(
        traces,
        range(planes),
        [f"{j}: dimensions {a} and {b}" for j, (a, b) in enumerate(steps.pairs)],
        drawn,
        min(1, planes - 1),  # plane 0 turns by one radian a token, which hides the frequency
        theme,
        prefix="plane ",
        duration=700,
    )


@dataclass(frozen=True)
class _Panel:
    """One matrix: [T, P] or [T, D], the columns that each plane has in it, and its place in the figure."""

    label: str
    values: np.ndarray
    columns: np.ndarray
    across: tuple[float, float]
    up: tuple[float, float]
    top: float | None  # end of the colour scale; None for the angles, which have a scale of their own


def _interleaved(steps: Rotation) -> bool:
    return bool(len(steps.frequency) < 2 or steps.pairs[0, 1] == 1)


def _panels(steps: Rotation, name: str) -> list[_Panel]:
    """The matrices in the order of the code."""
    pair = ("even", "odd") if _interleaved(steps) else ("first half", "second half")
    joined = "interleaved" if _interleaved(steps) else "joined"
    limit = float(np.quantile(np.abs(steps.x), 0.995)) or 1.0
    own, both = np.arange(len(steps.frequency))[:, None], steps.pairs
    return [
        _Panel("angles t·θ<sup>−2j/d</sup> (Eq. 49)", steps.angles, own, (0.05, 0.27), UPPER, None),
        _Panel("cos (Eq. 50)", steps.cos, own, (0.29, 0.48), UPPER, 1.0),
        _Panel("sin (Eq. 51)", steps.sin, own, (0.5, 0.69), UPPER, 1.0),
        _Panel(f"{name} before", steps.x, both, (0.05, 0.27), LOWER, limit),
        _Panel(f"{pair[0]} (Eq. 52)", steps.first, own, (0.29, 0.39), LOWER, limit),
        _Panel(pair[1], steps.second, own, (0.4, 0.5), LOWER, limit),
        _Panel("rotated (Eq. 53)", steps.new_first, own, (0.53, 0.63), LOWER, limit),
        _Panel("and (Eq. 55)", steps.new_second, own, (0.64, 0.74), LOWER, limit),
        _Panel(f"{name}′: {joined} (Eq. 58)", steps.out, both, (0.77, 0.99), LOWER, limit),
    ]


def _frame(panel: _Panel, steps: Rotation, row: int, place: int, theme: Theme) -> Layer:
    """Frames around the columns of a plane, and around the row that is followed."""
    line = {"mode": "lines", "line": {"color": theme.warm, "width": 2}, "hoverinfo": "skip"}
    return Layer(
        {**line, "xaxis": f"x{place}", "yaxis": f"y{place}"},
        lambda plane: {"type": "scatter", **_boxes(panel.columns[plane], steps.positions, row)},
    )


def _numbers(steps: Rotation, row: int, base: float, axis: int, theme: Theme) -> Layer:
    """The rotation of the followed row in numbers."""
    style = {
        "x": [0],
        "y": [1],
        "mode": "text",
        "textposition": "bottom right",
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "textfont": {"size": 12, "color": theme.ink},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }
    interleaved = _interleaved(steps)
    return Layer(style, lambda plane: {"type": "scatter", "text": [_words(steps, plane, row, base, interleaved)]})


def _heat(panel: _Panel, steps: Rotation, place: int, theme: Theme) -> dict[str, Any]:
    values, top, label = panel.values, panel.top, panel.label.split(" (")[0]
    column = "dimension" if values.shape[1] == steps.x.shape[1] else "plane"
    heat = {
        "type": "heatmap",
        "z": values.astype(np.float32),
        "y": steps.positions,
        "xaxis": f"x{place}",
        "yaxis": f"y{place}",
        "showscale": False,
        "hovertemplate": f"position %{{y}}, {column} %{{x}}: %{{z:.6g}}<extra>{label}</extra>",
    }
    if top is not None:
        return {**heat, "zmin": -top, "zmax": top, "colorscale": scale(theme.diverging)}
    largest = float(values.max()) or 1.0
    # One colour a factor of four: slow planes stay visible, and hover shows the angle itself.
    colours = theme.sequential
    stops = [[0.0, colours[0]], *([4.0 ** -(len(colours) - 1 - i), colour] for i, colour in enumerate(colours))]
    return {**heat, "zmin": 0, "zmax": largest, "colorscale": stops}


def _full_turn(steps: Rotation, theme: Theme) -> dict[str, Any]:
    """Where each plane has turned once: a line over the angle table, for the planes that get there."""
    turns = 2 * np.pi / steps.frequency
    kept = (turns >= steps.positions[0]) & (turns <= steps.positions[-1])
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": np.flatnonzero(kept),
        "y": turns[kept].astype(np.float32),
        "xaxis": "x1",
        "yaxis": "y1",
        "line": {"color": theme.warm, "width": 1, "dash": "dot"},
        "marker": {"size": 5, "color": theme.warm},
        "hovertemplate": "plane %{x}: the first full turn after %{y:.2f} tokens<extra></extra>",
    }


def _boxes(columns: np.ndarray, rows: np.ndarray, row: int) -> dict[str, np.ndarray]:
    """Frames around whole columns and around the cells of one row in them."""
    columns = np.sort(columns)
    together = len(columns) == 2 and columns[1] == columns[0] + 1
    spans = [(columns[0], columns[-1])] if together else [(column, column) for column in columns]
    x, y = [], []
    for left, right in spans:
        for low, high in ((rows[0], rows[-1]), (row, row)):
            x += [left - 0.5, right + 0.5, right + 0.5, left - 0.5, left - 0.5, np.nan]
            y += [low - 0.5, low - 0.5, high + 0.5, high + 0.5, low - 0.5, np.nan]
    return {"x": np.array(x, np.float32), "y": np.array(y, np.float32)}


def _words(steps: Rotation, plane: int, row: int, base: float, interleaved: bool) -> str:
    """The arithmetic of one plane at one position, line by line."""
    at, dim = row - int(steps.positions[0]), steps.x.shape[1]
    one, other = (int(d) for d in steps.pairs[plane])
    speed, angle, cos, sin = (
        float(part)
        for part in (steps.frequency[plane], steps.angles[at, plane], steps.cos[at, plane], steps.sin[at, plane])
    )
    before = steps.first[at, plane], steps.second[at, plane]
    after = steps.new_first[at, plane], steps.new_second[at, plane]
    lines = [
        f"<b>plane {plane} at position {row}</b>",
        f"speed {base:,.6g}<sup>−{2 * plane}/{dim}</sup> = {speed:.5g} rad",
        f"angle {row} × {speed:.5g} = {angle:.5g} rad",
        f"cos {number(cos, '+.4f')}, sin {number(sin, '+.4f')}",
        f"x<sub>{one}</sub> = {number(before[0], '+.4f')}, x<sub>{other}</sub> = {number(before[1], '+.4f')}",
        f"x′<sub>{one}</sub> = x<sub>{one}</sub> cos − x<sub>{other}</sub> sin = {number(after[0], '+.4f')}",
        f"x′<sub>{other}</sub> = x<sub>{one}</sub> sin + x<sub>{other}</sub> cos = {number(after[1], '+.4f')}",
        f"length {np.hypot(*before):.4f} → {np.hypot(*after):.4f}",
        f"back to dimensions {one} and {other}" + ("" if interleaved else ", one in each half"),
    ]
    return "<br>".join(lines).replace("-", "−")


def _axis(theme: Theme, domain: tuple[float, float], anchor: str, **more: Any) -> dict[str, Any]:
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
        **more,
    }

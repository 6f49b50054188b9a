"""Small pictures without axes, as SVG: a map, bars, lines or points in a card of 160 by 100."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ..theme import Theme

WIDTH, HEIGHT, EDGE = 160, 100, 8


def _svg(parts: Sequence[str], theme: Theme) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{theme.page}"/>{"".join(parts)}</svg>'
    )


def _placed(values: np.ndarray, length: float) -> np.ndarray:
    """Values laid from one edge to the other; all alike, in the middle."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    share = (values - low) / (high - low) if high > low else np.full(len(values), 0.5)
    return EDGE + share * (length - 2 * EDGE)


def heat(values: np.ndarray, theme: Theme, signed: bool = False) -> str:
    """A map of [rows, columns] numbers from 0 to their largest, or, `signed`, from minus to plus their largest
    magnitude."""
    values = np.nan_to_num(np.asarray(values, float))
    most = float(np.abs(values).max()) or 1.0
    scale = theme.diverging if signed else theme.sequential
    share = (values / most + 1) / 2 if signed else np.clip(values / most, 0, 1)
    rows, columns = values.shape
    wide, high = (WIDTH - 2 * EDGE) / columns, (HEIGHT - 2 * EDGE) / rows
    cells = [
        f'<rect x="{EDGE + j * wide:.1f}" y="{EDGE + i * high:.1f}" width="{wide + 0.2:.1f}" height="{high + 0.2:.1f}" '
        f'fill="{_color(scale, share[i, j])}"/>'
        for i, j in np.argwhere(values != 0)
    ]
    return _svg(cells, theme)


def _color(scale: Sequence[str], share: float) -> str:
    """The colour at a share of a scale of #rrggbb, mixed from its two neighbours."""
    at = share * (len(scale) - 1)
    low = min(int(at), len(scale) - 2)
    mixed = [round(a + (at - low) * (b - a)) for a, b in zip(*(_parts(scale[index]) for index in (low, low + 1)))]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _parts(color: str) -> list[int]:
    return [int(part, 16) for part in re.findall("..", color.lstrip("#"))]


def bars(values: Sequence[float], theme: Theme) -> str:
    """Bars from 0, the largest as high as the card."""
    most = max(map(abs, values)) or 1.0
    wide = (WIDTH - 2 * EDGE) / len(values)
    drawn = []
    for place, value in enumerate(values):
        high = abs(value) / most * (HEIGHT - 2 * EDGE)
        drawn.append(
            f'<rect x="{EDGE + place * wide + 0.1 * wide:.1f}" y="{HEIGHT - EDGE - high:.1f}" width="{0.8 * wide:.1f}" '
            f'height="{high:.1f}" fill="{theme.accent}"/>'
        )
    return _svg(drawn, theme)


def lines(every: Sequence[Sequence[float]], theme: Theme) -> str:
    """Lines over the same places, in one scale: the first in the accent, the others in the warm colour."""
    values = np.asarray(every, float)
    high = HEIGHT - _placed(values.ravel(), HEIGHT).reshape(values.shape)
    along = np.linspace(EDGE, WIDTH - EDGE, values.shape[1])
    drawn = []
    for number, line in enumerate(high):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(along, line))
        color = theme.warm if number else theme.accent
        drawn.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2.5"/>')
    return _svg(drawn, theme)


def dots(points: np.ndarray, theme: Theme) -> str:
    """Points of a plane, [n, 2]."""
    x, y = _placed(points[:, 0], WIDTH), _placed(points[:, 1], HEIGHT)
    drawn = [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2" fill="{theme.accent}"/>' for a, b in zip(x, y)]
    return _svg(drawn, theme)

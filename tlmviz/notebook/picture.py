"""One head's map as an SVG, which a saved notebook keeps: viewers of repositories run no widget and show no frame."""

from __future__ import annotations

from html import escape

import numpy as np

from tlmviz import figures
from tlmviz.tracing.trace import Trace

from .parts import start, title

CELLS = 48  # along a side; of a longer text each cell is the largest weight of its part
CELL = 12  # pixels
LABELS, HEAD, FOOT = 96, 46, 12  # pixels for tokens, for the title, and below
FAMILY = "system-ui, 'Segoe UI', Arial, sans-serif"


def svg(trace: Trace) -> str:
    """The map of the head that the view opens on, dark text on white. Raises BadShape for cross attention."""
    layer, head = start(trace).values()
    whole = len(trace) <= CELLS
    weights = (trace.attention(layer, head) if whole else trace.pooled(layer, head, CELLS)).numpy()
    side = len(weights) * CELL
    labels = LABELS if whole else FOOT
    width, height = labels + max(side, 400) + FOOT, HEAD + side + labels
    parts = [
        _text(FOOT, 18, f"L{layer}H{head} of {title(trace)}", size=13, weight=600),
        _text(FOOT, 35, _explained(trace, float(weights.max())), size=11),
        *_cells(weights, labels),
        *(_tokens(trace, labels, side) if whole else ()),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="{FAMILY}" fill="#1f2430"><rect width="{width}" height="{height}" fill="#ffffff"/>'
        f"{''.join(parts)}</svg>"
    )


def _explained(trace: Trace, most: float) -> str:
    """What rows, columns and the darkest colour are."""
    cells = "" if len(trace) <= CELLS else ", the largest weight of each part"
    return f"Rows read columns{cells}; white is 0, the darkest {most:.2f}."


def _cells(weights: np.ndarray, left: int) -> list[str]:
    """A square for each weight that is seen, coloured by its root, which tells small ones apart."""
    stops = np.array([figures.rgb(color) for color in figures.LIGHT.sequential])
    shares = np.sqrt(weights / max(float(weights.max()), 1e-9))
    at = np.linspace(0, 1, len(stops))
    colors = np.stack([np.interp(shares, at, channel) for channel in stops.T], axis=-1).astype(np.uint8)
    found = []
    for i, j in zip(*np.nonzero(shares > 0.05)):
        color = f"#{colors[i, j].tobytes().hex()}"
        x, y = left + CELL * j, HEAD + CELL * i
        found.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{color}"/>')
    side = CELL * len(weights)
    return [*found, f'<path d="M{left} {HEAD}h{side}v{side}h-{side}z" fill="none" stroke="#d9dbe0"/>']


def _tokens(trace: Trace, left: int, side: int) -> list[str]:
    """The tokens at the left, and below, turned."""
    found = []
    for i, label in enumerate(figures.token_labels(trace.tokens, 12)):
        y = HEAD + CELL * i + 9
        found.append(_text(left - 6, y, label, size=10, anchor="end"))
        found.append(
            _text(
                0, 0, label, size=10, anchor="end", move=f"translate({y - HEAD + left} {HEAD + side + 6}) rotate(-90)"
            )
        )
    return found


def _text(x: float, y: float, text: str, size: int, weight: int = 400, anchor: str = "start", move: str = "") -> str:
    moved = f' transform="{move}"' if move else ""
    kind = f'font-size="{size}" font-weight="{weight}" text-anchor="{anchor}"'
    return f'<text x="{x}" y="{y}" {kind}{moved}>{escape(text)}</text>'

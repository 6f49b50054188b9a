"""Word vectors while they are trained: words in a plane that move, and the loss that falls."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout, note
from ..player import Layer, walked
from ..theme import Theme
from ..tokens import escaped
from ..written import number

NAMED = 45  # words that have a label, where no other one lies
WIDE, TALL = 560, 380  # pixels of the plane, about
LETTER, LINE = 7, 15  # pixels of a label: a letter's width, a line's height


def live(
    places: np.ndarray,
    words: Sequence[str],
    at: Sequence[float],
    losses: Sequence[float],
    lit: Collection[int],
    theme: Theme,
    *,
    title: str,
    film: bool,
) -> go.Figure:
    """Words at their `places` [S, N, 2] at the seconds `at` [S], the last shown; `lit` are those to be seen.

    `film`: a slider walks all S. `losses` [S] are the means since the picture before, NaN for the first.
    """
    size = places.shape[1]
    lit = list(dict.fromkeys(lit))
    labelled = _apart(places[-1], words, [*lit, *(row for row in range(min(NAMED, size)) if row not in lit)])
    shown = [escaped(word) if row in labelled else "" for row, word in enumerate(words[:size])]
    dots: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers+text",
        "text": shown,
        "textposition": "top center",
        "textfont": {"size": 11, "color": [theme.warm if row in lit else theme.ink for row in range(size)]},
        "marker": {
            "size": [9 if row in lit else 5 for row in range(size)],
            "color": [theme.warm if row in lit else theme.accent for row in range(size)],
        },
        "customdata": [escaped(word) for word in words[:size]],
        "hovertemplate": "%{customdata}<extra></extra>",
        "cliponaxis": False,
    }
    curve: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": np.asarray(at[1:], np.float32),
        "y": np.asarray(losses[1:], np.float32),
        "xaxis": "x2",
        "yaxis": "y2",
        "line": {"color": theme.accent, "width": 2},
        "marker": {"size": 3},
        "hovertemplate": "%{x:.1f} s: %{y:.3f} nats<extra></extra>",
    }

    def moved(step: int) -> dict[str, Any]:
        return {"x": places[step, :, 0].astype(np.float32), "y": places[step, :, 1].astype(np.float32)}

    def marked(step: int) -> dict[str, Any]:
        held = max(step, min(1, len(at) - 1))
        return {"x": [at[held]], "y": [losses[held]]}

    mark: dict[str, Any] = {"type": "scatter", "mode": "markers", "xaxis": "x2", "yaxis": "y2"}
    mark |= {"hoverinfo": "skip", "marker": {"size": 10, "color": theme.warm}}
    layers: list[dict[str, Any] | Layer] = [Layer(dots, moved), curve, Layer(mark, marked)]
    arranged = _layout(places, at, theme, title)
    last = len(places) - 1
    if not film:
        return figure([layer.at(last) if isinstance(layer, Layer) else layer for layer in layers], arranged)
    labels = [f"{number(second, '.1f')} s" for second in at]
    return walked(layers, range(last + 1), labels, arranged, last, theme, prefix="after ", duration=120, redraw=False)


def _apart(places: np.ndarray, words: Sequence[str], rows: Sequence[int]) -> set[int]:
    """Those rows whose labels at `places` [N, 2] do not lie on an earlier one's; labels stand above their points."""
    reach = float(np.abs(places).max()) * 1.12 or 1.0
    taken: dict[int, tuple[float, float, float]] = {}
    for row in rows:
        (x, y), half = places[row] / (2 * reach) * (WIDE, TALL), LETTER * len(words[row]) / 2
        if all(abs(x - a) > half + b or abs(y - c) > LINE for a, c, b in taken.values()):
            taken[row] = x, y, half
    return set(taken)


def _layout(places: np.ndarray, at: Sequence[float], theme: Theme, title: str) -> dict[str, Any]:
    reach = float(np.abs(places).max()) * 1.12 or 1.0
    bare = layout(theme, title="")
    plain = {"range": [-reach, reach], "showticklabels": False, "zeroline": False}
    return layout(
        theme,
        title=title,
        height=470,
        xaxis={**plain, "domain": [0, 0.64]},
        yaxis=plain,
        xaxis2={**bare["xaxis"], "domain": [0.72, 1], "anchor": "y2", "range": [0, max([1.0, *at]) * 1.03]},
        yaxis2={**bare["yaxis"], "anchor": "x2"},
        annotations=[
            note("Loss (nats per pair) over seconds of training", 0.72, 1.0, theme.ink, 12),
            note("x: first principal axis, y: second", 0.0, 0.0, theme.muted, 11),
        ],
    )

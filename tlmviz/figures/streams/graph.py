"""The unrolled sum as a picture: every part's way to who reads it, as wide as its learned coefficient."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import (
    HEADS,
    Layer,
    Theme,
    colorbar,
    faded,
    figure,
    layout,
    note,
    scale,
    token_label,
    token_labels,
    walked,
)

WIDEST = 0.75  # of a row: how wide coefficient 1 is drawn at most
NARROWEST = 0.25  # and at least, however large other coefficients are
CLIP = 3.0  # rows: wider ones are cut at their start
NUMBERED = 26  # parts whose coefficients are all written beside them; of more, a few
GAP = 0.07  # between panels, of the width
BUDGET = 700_000  # bytes of all frames
_S = np.linspace(0, 1, 9)
_CURVE = _S * _S * (3 - 2 * _S)
BEND = np.concatenate([_S, _S[::-1]])


@dataclass(frozen=True)
class Panel:
    """One model: its name above, and coefficients [parts, T], the embedding first."""

    title: str
    coefficients: np.ndarray


def part_colors(theme: Theme) -> dict[str, str]:
    """Colours of the embedding's, attention's and the MLP's ribbons, and of those that subtract."""
    return {"embedding": HEADS[2], "attention": theme.accent, "MLP": HEADS[6], "negative": theme.warm}


def ribbon_unit(panels: Sequence[Panel]) -> float:
    """Width of coefficient 1, of the panel's height: the same in all panels and at all tokens."""
    parts = len(panels[0].coefficients)
    largest = max(float(np.abs(panel.coefficients).sum(0).max()) for panel in panels)
    return float(np.clip(1 / max(largest, 1e-9), NARROWEST / parts, WIDEST / parts))


def ribbons(coefficients: np.ndarray, unit: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Outlines (x, y) from each part's row, the first on top, to its slot at the reader, where all are stacked in
    order."""
    count = len(coefficients)
    widths = np.abs(coefficients) * unit
    rows = 1 - (np.arange(count) + 0.5) / count
    total = float(widths.sum())
    slots = widths * min(1.0, 1 / max(total, 1e-9))
    tops = 0.5 + slots.sum() / 2 - np.concatenate([[0.0], np.cumsum(slots)[:-1]])
    starts = np.minimum(widths, CLIP / count)
    shapes = []
    for row, width, top, slot in zip(rows, starts, tops, slots):
        upper = (1 - _CURVE) * (row + width / 2) + _CURVE * top
        lower = (1 - _CURVE) * (row - width / 2) + _CURVE * (top - slot)
        shapes.append((BEND, np.concatenate([upper, lower[::-1]])))
    return shapes


def fans(
    panels: Sequence[Panel],
    parts: Sequence[str],
    tokens: Sequence[str],
    at: int,
    theme: Theme,
    *,
    to: str,
    offset: int = 0,
) -> go.Figure:
    """Panels side by side over tokens that a slider walks: `at` is shown first, `offset` the first token's number.

    `parts` begin with "embedding"; a part whose coefficient is 0 everywhere (it does not exist yet) has no ribbon. `to`
    names who reads.
    """
    unit, count = ribbon_unit(panels), len(parts)
    width = (1 - GAP * (len(panels) - 1)) / len(panels)
    numbered = np.arange(count) if count <= NUMBERED else np.arange(0, count, 4)
    drawn = layout(
        theme,
        title=f"Each part’s coefficient in {to} (width)",
        height=400 if count <= NUMBERED else 470,
        margin={"l": 84, "r": 8, "t": 34, "b": 64},
        shapes=[_reader(number, theme) for number in range(1, len(panels) + 1)],
        showlegend=True,
    )
    drawn["legend"] = {**drawn["legend"], "font": {"size": 11}, "itemsizing": "constant"}
    traces: list[dict[str, Any] | Layer] = []
    for number, panel in enumerate(panels):
        place = {"xaxis": f"x{number + 1}", "yaxis": f"y{number + 1}", "showlegend": False}
        layers = [
            *_ribbons(panel, parts, unit, {**place, "showlegend": number == 0}, theme),
            _coefficients(panel, numbered, place, theme),
            _dots(panel, parts, to, place, theme),
            _head(panel, place, theme),
        ]
        # A plain residual never changes: it is sent once.
        moves = len(tokens) > 1 and np.ptp(panel.coefficients, axis=1).any()
        traces += layers if moves else [layer.at(at) for layer in layers]
        left = number * (width + GAP)
        axes = _fan_axes(number, (left, left + width), parts, numbered, theme)
        for name, axis in axes.items():
            drawn[name] = {**drawn.get(name, {}), **axis}
    still = [trace for trace in traces if not isinstance(trace, Layer)]
    if len(still) == len(traces):
        return figure(still, drawn)
    labels = [f"{offset + i} · {name}" for i, name in enumerate(token_labels(tokens))]
    options = {"prefix": "token ", "duration": 350, "stepping": True, "left": 0.2}
    return walked(traces, range(len(tokens)), labels, drawn, at, theme, **options)


def _ribbons(panel: Panel, parts: Sequence[str], unit: float, place: dict[str, Any], theme: Theme) -> list[Layer]:
    """A layer of ribbons for each kind of part: which of them it holds is fixed, so frames need not repeat where x
    is."""
    kinds = np.array([part.split()[0] for part in parts])
    below = np.flatnonzero((panel.coefficients < 0).any(1))

    @functools.cache  # all kinds share the shapes of a token
    def outlines(token: int) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
        values = np.asarray(panel.coefficients[:, token], np.float64)
        return values, ribbons(values, unit)

    def layer(kind: str, color: str) -> Layer:
        members = below if kind == "negative" else np.flatnonzero(kinds == kind)
        style = {
            "mode": "lines",
            "fill": "toself",
            "fillcolor": faded(color, 0.62),  # crossing ribbons stay visible
            "line": {"color": color, "width": 0.6},
            "x": _joined([BEND] * len(members)),
            "hoverinfo": "skip",
            "name": _NAMES[kind],
            "legendgroup": kind,
            **place,
        }

        def moving(token: int) -> dict[str, Any]:
            values, shapes = outlines(token)
            drawn = values[members] < 0 if kind == "negative" else values[members] > 0
            absent = np.full(len(BEND), np.nan)
            return {
                "type": "scatter",
                "y": _joined([shapes[i][1] if seen else absent for i, seen in zip(members, drawn)]),
            }

        return Layer(style, moving)

    return [layer(kind, color) for kind, color in part_colors(theme).items()]


def _coefficients(panel: Panel, numbered: np.ndarray, place: dict[str, Any], theme: Theme) -> Layer:
    """Coefficients in figures at the parts `numbered`."""
    style = {
        "mode": "text",
        "x": np.full(len(numbered), -0.045),
        "y": _rows(len(panel.coefficients))[numbered],
        "textposition": "middle left",
        "textfont": {"size": 10, "color": theme.muted},
        "hoverinfo": "skip",
        "cliponaxis": False,
        **place,
    }

    def moving(token: int) -> dict[str, Any]:
        values = np.asarray(panel.coefficients[:, token], np.float64)
        return {
            "type": "scatter",
            "text": [_signed(values[i], 2) if panel.coefficients[i].any() else "" for i in numbered],
        }

    return Layer(style, moving)


def _dots(panel: Panel, parts: Sequence[str], to: str, place: dict[str, Any], theme: Theme) -> Layer:
    """A dot where each part begins, with its coefficient in the hover."""
    count = len(parts)
    style = {
        "mode": "markers",
        "x": np.zeros(count),
        "y": _rows(count),
        "text": list(parts),
        "marker": {"size": 5 if count <= NUMBERED else 3.5, "color": theme.ink},
        "hovertemplate": f"%{{text}}: coefficient %{{customdata:.5f}} in {to}"
        f"<extra>{token_label(panel.title, 40)}</extra>",
        **place,
    }
    return Layer(
        style, lambda token: {"type": "scatter", "customdata": panel.coefficients[:, token].astype(np.float32)}
    )


def _head(panel: Panel, place: dict[str, Any], theme: Theme) -> Layer:
    """The panel's title with the embedding's coefficient."""
    style = {
        "mode": "text",
        "x": [-0.2],
        "y": [1.02],
        "textposition": "top right",
        "textfont": {"size": 12, "color": theme.ink},
        "hoverinfo": "skip",
        "cliponaxis": False,
        **place,
    }

    def moving(token: int) -> dict[str, Any]:
        value = _signed(float(panel.coefficients[0, token]), 3)
        return {"type": "scatter", "text": [f"<b>{token_label(panel.title, 40)}</b><br>embedding × {value}"]}

    return Layer(style, moving)


def _reader(number: int, theme: Theme) -> dict[str, Any]:
    """The bar at the right of a panel, where the ribbons end."""
    return {
        "type": "rect",
        "xref": f"x{number}",
        "yref": f"y{number}",
        "x0": 1,
        "x1": 1.025,
        "y0": 0,
        "y1": 1,
        "fillcolor": theme.missing,
        "line": {"color": theme.muted, "width": 1},
    }


def _fan_axes(
    number: int, span: tuple[float, float], parts: Sequence[str], numbered: np.ndarray, theme: Theme
) -> dict[str, dict[str, Any]]:
    """Axes of panel `number`; the first names the parts."""
    tag = "" if number == 0 else str(number + 1)
    hide = {"showgrid": False, "zeroline": False, "fixedrange": True}
    x = {"domain": list(span), "anchor": f"y{number + 1}", "range": [-0.2, 1.03], "visible": False}
    y = {
        "anchor": f"x{number + 1}",
        "range": [0, 1.12],
        "showline": False,
        "ticks": "",
        "showticklabels": number == 0,
        "tickvals": _rows(len(parts))[numbered],
        "ticktext": [parts[i] for i in numbered],
        "tickfont": {"size": 10.5, "color": theme.muted},
    }
    fixed = {"automargin": False} if number == 0 else {}
    return {f"xaxis{tag}": {**hide, **x}, f"yaxis{tag}": {**hide, **y, **fixed}}


def _rows(count: int) -> np.ndarray:
    """Where each of `count` parts begins, the first on top."""
    return 1 - (np.arange(count) + 0.5) / count


def window(tokens: int, at: int, each: int) -> range:
    """The tokens around `at` whose frames, of `each` bytes, fit the budget."""
    size = max(1, min(tokens, BUDGET // max(1, each)))
    start = min(max(0, at - size // 2), tokens - size)
    return range(start, start + size)


def fan_bytes(panels: int, parts: int) -> int:
    """About how much one token's frame of `fans` takes: outlines as base64, numbers and names."""
    return panels * (parts * (len(BEND) + 1) * 4 * 4 // 3 + parts * 16 + 900)


def readers(panels: Sequence[Panel], parts: Sequence[str], theme: Theme, *, token: str) -> go.Figure:
    """Who reads whom: of each panel [readers, parts], a row per sublayer and the head last, for one token."""
    count, limit = len(parts), 1.0
    for panel in panels:
        limit = max(limit, float(np.quantile(np.abs(panel.coefficients), 0.995)))
    width = (1 - 0.03 * (len(panels) - 1)) / len(panels)
    rows = [*parts[1:], "head"]
    shown = np.unique(np.linspace(0, count - 1, min(count, 17)).round().astype(int))
    traces, axes, notes = [], {}, []
    for number, panel in enumerate(panels):
        values = np.asarray(panel.coefficients, np.float32).copy()
        values[np.triu_indices(count, 1)] = np.nan  # who reads before a part exists
        traces.append(
            {
                "type": "heatmap",
                "z": values,
                "x": list(parts),
                "y": rows,
                "zmin": -limit,
                "zmax": limit,
                "colorscale": scale(theme.diverging),
                "showscale": number == len(panels) - 1,
                "hoverongaps": False,
                "xaxis": f"x{number + 1}",
                "yaxis": f"y{number + 1}",
                "colorbar": colorbar(theme, nticks=None, xpad=4),
                "hovertemplate": "%{x} in what %{y} reads: %{z:.5f}<extra>" + token_label(panel.title, 40) + "</extra>",
            }
        )
        start = number * (width + 0.03)
        plain = {"showgrid": False, "zeroline": False, "tickfont": {"size": 9.5, "color": theme.muted}}
        axes["xaxis" if not number else f"xaxis{number + 1}"] = {
            **plain,
            "domain": [start, start + width],
            "anchor": f"y{number + 1}",
            "type": "category",
            "tickvals": [parts[i] for i in shown],
            "tickangle": -60,
            "automargin": True,
        }
        axes["yaxis" if not number else f"yaxis{number + 1}"] = {
            **plain,
            "anchor": f"x{number + 1}",
            "range": [count - 0.5, -0.5],
            "type": "category",
            "tickvals": [rows[i] for i in shown],
            "automargin": True,
            "showticklabels": number == 0,
        }
        notes.append(note(f"<b>{token_label(panel.title, 40)}</b>", start, 1.01, theme.ink, 12))
    title = f"Who reads whom at “{token_label(token)}”: coefficient of each part (columns) in what is read (rows)"
    drawn = layout(theme, title=title, height=400, margin={"l": 8, "r": 8, "t": 58, "b": 8}, annotations=notes)
    return figure(traces, {**drawn, **axes})


_NAMES = {"embedding": "embedding", "attention": "attention", "MLP": "MLP", "negative": "subtracted"}


def _signed(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _joined(pieces: list[np.ndarray]) -> np.ndarray:
    """Outlines in one array, a gap between any two."""
    gap = np.full(1, np.nan)
    return np.concatenate([gap, *(value for piece in pieces for value in (piece, gap))]).astype(np.float32)

"""Where cross-attention's queries, keys and values come from, token by token, for one token that is being written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tlmviz.figures import Theme, figure, layout, scale, token_label, token_labels

LINES = 24  # of the largest weights that are drawn
HALF = 0.17  # of a row's thickness
LABELLED = 24  # tokens that are still written into their boxes
PLAIN = {  # labels of the rows without matrices and sizes
    "target": "what is written so far, after ⟨start⟩",
    "q": "a query for each of them (Q)",
    "k": "a key for each source token (K): compared with the query, it gives the weights",
    "v": "a value for each source token (V): their sum by these weights is what is read",
    "memory": "memory: what the encoder makes of each source token",
    "source": "source tokens",
}


def cross_flow(
    source: list[str],
    given: list[str],
    weights: np.ndarray,
    chosen: int,
    shapes: dict[str, tuple[int, ...]],
    theme: Theme,
    *,
    plain: bool = False,
    height: int = 440,
) -> go.Figure:
    """From the source [S] up to the memory, K and V, and from the target so far [T] down to Q; they meet in the
    weights.

    `weights` [S] are those that position `chosen` pays in one head; `shapes` names the sizes of "memory", "k", "v", "q"
    and "out" in this pass. Positions after `chosen` are drawn pale: they do not exist yet when its token is written.
    `plain` says in words what the matrices and the sizes say otherwise.
    """
    weights = np.asarray(weights, np.float32)
    steps = np.arange(len(given))
    written = np.where(steps < chosen, 0.35, np.where(steps == chosen, 1.0, 0.0))
    rows = _rows(source, given, weights, written, PLAIN if plain else _named(shapes), theme)
    heights = dict(zip(rows, (5.6, 4.8, 3.3, 2.05, 1.1, 0.2)))
    traces: list[dict[str, Any]] = []
    notes = []
    for name, (label, tokens, values, color, texts) in rows.items():
        traces.append(_row(heights[name], tokens, values, color, texts, theme, values is weights))
        side, anchor = (-HALF, "top") if name == "k" else (HALF, "bottom")  # above K the weights come in
        notes.append(_label(label, heights[name] + side, anchor, theme))
    top = (chosen + 0.5) / len(given)
    traces += _weight_lines(weights, top, heights["q"] - HALF, heights["k"] + HALF, theme)
    ways = (
        (1.012, "source", "memory", "encoder"),
        (1.012, "memory", "v", "values" if plain else "W_V"),
        (1.075, "memory", "k", "keys" if plain else "W_K"),
        (1.012, "target", "q", "query" if plain else "W_Q"),
    )
    for x, start, end, name in ways:
        notes.append(_arrow(x, heights[start], heights[end], theme))
        notes.append(_beside(name, x, heights[start], heights[end], theme))
    return figure(
        traces,
        layout(
            theme,
            title=f"Cross-attention of “{token_label(given[chosen])}”: sources of Q, K and V",
            height=height,
            margin={"l": 6, "r": 6, "t": 34, "b": 4},
            annotations=notes,
            hovermode="closest",
            xaxis={"visible": False, "range": [-0.005, 1.12], "fixedrange": True},
            yaxis={"visible": False, "range": [-0.1, 6.25], "fixedrange": True},
        ),
    )


def _rows(
    source: list[str], given: list[str], weights: np.ndarray, written: np.ndarray, labels: dict[str, str], theme: Theme
) -> dict[str, tuple[Any, ...]]:
    """Each row from the top: its label, tokens, values in [0, 1], their colour and the words in its boxes."""
    size = len(source)
    pale = np.full(size, 0.25)
    parts: dict[str, tuple[Any, ...]] = {
        "target": (given, written, theme.warm, given),
        "q": (given, written, theme.warm, None),
        "k": (source, weights, theme.accent, None),
        "v": (source, weights, theme.accent, None),
        "memory": (source, pale, theme.accent, None),
        "source": (source, np.zeros(size), theme.accent, source),
    }
    return {name: (labels[name], *part) for name, part in parts.items()}


def _named(shapes: dict[str, tuple[int, ...]]) -> dict[str, str]:
    """The labels of the rows with matrices and sizes."""
    return {
        "target": f"target so far, after ⟨start⟩: one vector each, {_size(shapes['out'])}",
        "q": f"Q = W_Q x, from the decoder: {_size(shapes['q'])}",
        "k": f"K = W_K M, once per source: {_size(shapes['k'])}",
        "v": f"V = W_V M, the same way: {_size(shapes['v'])}; output Σ aⱼ vⱼ",
        "memory": f"memory M, the encoder's output: {_size(shapes['memory'])}",
        "source": "source tokens",
    }


def _weight_lines(weights: np.ndarray, start: float, top: float, bottom: float, theme: Theme) -> list[dict[str, Any]]:
    """The largest weights as lines from x `start` at height `top` to the keys at height `bottom`."""
    lines = []
    for j in np.argsort(-weights)[:LINES]:
        weight = float(weights[j])
        lines.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": np.array([start, (j + 0.5) / len(weights)], np.float32),
                "hoverinfo": "skip",
                "y": np.array([top, bottom], np.float32),
                "opacity": 0.12 + 0.88 * weight,
                "line": {"color": theme.warm, "width": 0.8 + 7 * weight},
            }
        )
    return lines


def _row(
    at: float,
    tokens: list[str],
    values: np.ndarray,
    color: str,
    texts: Sequence[str] | None,
    theme: Theme,
    weighed: bool,
) -> dict[str, Any]:
    """One box per token, as wide as they fit; the deeper the colour, the larger the value in [0, 1]."""
    count = len(tokens)
    row: dict[str, Any] = {
        "type": "heatmap",
        "z": np.asarray(values, np.float32)[None],
        "zmin": 0,
        "zmax": 1,
        "showscale": False,
        "x": np.linspace(0, 1, count + 1, dtype=np.float32),
        "y": np.array([at - HALF, at + HALF], np.float32),
        "xgap": 2,
        "colorscale": [[0, theme.missing], [1, color]],
        "customdata": [token_labels(tokens, 18)],
        "hovertemplate": "“%{customdata}”" + (": weight %{z:.5f}" if weighed else "") + "<extra></extra>",
    }
    if weighed:
        row["colorscale"] = [[0, theme.missing], *scale(theme.sequential)[2:]]
    if texts is not None and count <= LABELLED:
        names = token_labels(texts, 9 if count <= 15 else 6)
        row |= {
            "text": [names],
            "texttemplate": "%{text}",
            "textfont": {"color": theme.ink, "size": 12 if count <= 8 else 10},
        }
    return row


def _label(text: str, y: float, anchor: str, theme: Theme) -> dict[str, Any]:
    """The words above or below a row."""
    return {
        "text": text,
        "x": 0,
        "y": y,
        "xanchor": "left",
        "yanchor": anchor,
        "showarrow": False,
        "font": {"size": 12, "color": theme.ink},
    }


def _beside(text: str, x: float, low: float, high: float, theme: Theme) -> dict[str, Any]:
    """What an arrow makes, at its right."""
    return {
        **_label(text, (low + high) / 2, "middle", theme),
        "x": x + 0.004,
        "font": {"size": 11, "color": theme.muted},
    }


def _arrow(x: float, low: float, high: float, theme: Theme) -> dict[str, Any]:
    return {
        "x": x,
        "y": high,
        "ax": x,
        "ay": low,
        "axref": "x",
        "ayref": "y",
        "text": "",
        "showarrow": True,
        "arrowhead": 2,
        "arrowsize": 1,
        "arrowwidth": 1.5,
        "arrowcolor": theme.muted,
    }


def _size(shape: tuple[int, ...]) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"

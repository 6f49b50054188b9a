"""A word's n-grams under its letters, and how near all words are by spelling and by vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..chart import figure, layout, points_by
from ..theme import Theme, faded
from ..tokens import escaped
from ..written import number

ROW = 14  # pixels of an n-gram


def staircase(
    marked: str,
    parts: Sequence[str],
    starts: Sequence[int],
    shares: np.ndarray,
    standing: Sequence[int],
    theme: Theme,
    *,
    title: str,
) -> go.Figure:
    """The parts of a word, each under the letters it is made of; the stronger the colour, the larger its share.

    `standing` [N] says in how many words of the vocabulary each part stands: those in none have a red frame.
    """
    most = max(float(np.abs(shares).max(initial=0)), 1e-9)
    colors = [
        faded(theme.accent if share > 0 else theme.warm, 0.12 + 0.5 * abs(float(share)) / most) for share in shares
    ]
    rows = np.arange(len(parts))
    bars = {
        "type": "bar",
        "orientation": "h",
        "y": rows,
        "base": [float(start) for start in starts],
        "x": [float(len(part)) for part in parts],
        "marker": {
            "color": colors,
            "line": {"width": 1, "color": [theme.grid if n else theme.alarm for n in standing]},
        },
        "text": [escaped(part) for part in parts],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "constraintext": "none",
        "textangle": 0,
        "textfont": {"size": 10, "color": theme.ink},
        "customdata": [[number(100 * float(share), ".1f"), f"{n:,}"] for share, n in zip(shares, standing)],
        "hovertemplate": "%{text}: %{customdata[0]}% of the vector; in %{customdata[1]} words of the "
        "vocabulary<extra></extra>",
    }
    return figure(
        [bars, _percent(len(marked), shares, theme)],
        layout(
            theme,
            title=title,
            x="letters, with < for the beginning and > for the end",
            height=max(200, 90 + ROW * len(parts)),
            bargap=0.15,
            xaxis={
                "tickvals": [k + 0.5 for k in range(len(marked))],
                "ticktext": [escaped(letter) for letter in marked],
                "range": [0, len(marked) + 3],
                "side": "top",
                "tickfont": {"size": 14, "color": theme.ink},
            },
            yaxis={"range": [len(parts) - 0.4, -0.6], "showticklabels": False, "showgrid": False, "zeroline": False},
            margin={"l": 8, "r": 8, "t": 76, "b": 8},
        ),
    )


def _percent(width: int, shares: np.ndarray, theme: Theme) -> dict[str, Any]:
    """The share of each part as text, behind the last letter."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": [width + 0.2] * len(shares),
        "y": np.arange(len(shares)),
        "text": [f"{number(100 * float(share), '.1f')}%" for share in shares],
        "textposition": "middle right",
        "textfont": {"size": 10, "color": theme.muted},
        "hoverinfo": "skip",
    }


def spelled(
    names: Sequence[str],
    common: np.ndarray,
    cosines: np.ndarray,
    word: str,
    theme: Theme,
    *,
    title: str,
    label: int = 8,
) -> go.Figure:
    """Every word: how many n-grams it has in common (share of both words'), and its cosine; the nearest are named."""
    nearest, alike = np.argsort(-cosines)[:label], np.argsort(-common, kind="stable")[:label]
    shown = sorted({*nearest.tolist(), *[row for row in alike.tolist() if common[row] > 0]})
    points = {
        "type": points_by(len(names)),
        "mode": "markers",
        "x": common.astype(np.float32),
        "y": cosines.astype(np.float32),
        "text": [escaped(name) for name in names],
        "marker": {"size": 4, "color": faded(theme.muted, 0.45)},
        "hovertemplate": "%{text}: %{x:.0%} of the n-grams, cosine %{y:.3f}<extra></extra>",
    }
    chosen = {
        "type": "scatter",
        "mode": "markers+text",
        "x": common[shown].astype(np.float32),
        "y": cosines[shown].astype(np.float32),
        "text": [escaped(names[row]) for row in shown],
        "textposition": "middle right",
        "textfont": {"size": 11, "color": theme.ink},
        "marker": {"size": 7, "color": theme.accent},
        "hovertemplate": "%{text}: %{x:.0%} of the n-grams, cosine %{y:.3f}<extra></extra>",
    }
    return figure(
        [points, chosen],
        layout(
            theme,
            title=title,
            x=f"n-grams in common with “{escaped(word)}”",
            y="cosine",
            height=380,
            xaxis={"tickformat": ".0%", "range": [-0.02, max(0.3, 1.25 * float(common.max(initial=0)))]},
            dragmode="pan",
        ),
    )

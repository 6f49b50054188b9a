"""One score of a head by sources, and composition scores of all pairs of heads, drawn in the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_score = component("tlmviz_why_score", Path(__file__).parent)
_heads = component("tlmviz_why_heads", Path(__file__).parent, entry="heads.js")


def score_payload(weights: np.ndarray, values: np.ndarray, **header: Any) -> bytes:
    """What the view of one score begins with: a head's weights [P, P] at `places`, and the score by sources [R, C]."""
    return pack(
        {**header, "colors": figures.palette()},
        {"weights": weights.astype(np.float32), "values": values.astype(np.float32)},
    )


def heads_payload(scores: Mapping[str, np.ndarray], **header: Any) -> bytes:
    """What the view of all pairs begins with: [writer, reader] of each kind, "q", "k" and "v"."""
    return pack(
        {**header, "colors": figures.palette()},
        {kind: each.astype(np.float32) for kind, each in scores.items()},
    )


def score_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show one score; the browser sends {"do": "pin" | "follow" | "show" | "cut" | "put" | "all", ...} as `act`."""
    _score(key=key, data=data, on_act_change=on_change)


def heads_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show all pairs of heads; the browser sends {"do": "kind" | "heads", ...} as `act`."""
    _heads(key=key, data=data, on_act_change=on_change)

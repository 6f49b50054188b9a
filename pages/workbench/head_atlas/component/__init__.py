"""All heads of a survey, and one of them, drawn in the browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_atlas = component("tlmviz_head_atlas", Path(__file__).parent)
_head = component("tlmviz_atlas_head", Path(__file__).parent, entry="head.js")


def atlas_payload(values: np.ndarray, lit: np.ndarray, **header: Any) -> bytes:
    """What the view of all heads begins with: every column [columns, N], and which heads are lit [N]."""
    return pack(
        {**header, "colors": figures.palette()},
        {"values": values.astype(np.float32), "lit": lit.astype(np.uint8)},
    )


def head_payload(
    values: np.ndarray, deciles: np.ndarray, shares: np.ndarray, weights: np.ndarray | None, **header: Any
) -> bytes:
    """What the view of one head begins with: statistics [S, N] of all heads, its deciles [S, 11], its and the mean head's shares
    by distance [2, B], and its weights [T, T] over a passage, if they are known."""
    count = np.zeros((0, 0)) if weights is None else weights
    arrays = {
        "values": values.astype(np.float32),
        "deciles": deciles.astype(np.float32),
        "shares": shares.astype(np.float32),
        "weights": np.rint(65535 * count).astype(np.uint16),
    }
    return pack({**header, "colors": figures.palette()}, arrays)


def atlas_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show all heads; the browser sends {"do": "open" | "sort", ...} as `act`."""
    _atlas(key=key, data=data, on_act_change=on_change)


def head_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show one head; the browser sends {"do": "passage" | "pin", ...} as `act`."""
    _head(key=key, data=data, on_act_change=on_change)

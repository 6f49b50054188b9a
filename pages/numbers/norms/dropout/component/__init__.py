"""Dropout on an activation, drawn in the browser: masks are thrown there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_dropout", Path(__file__).parent)


def payload(x: np.ndarray, **header: Any) -> bytes:
    """Everything the view shows of X [T, C]: `types.d.ts` beside this file names the header's fields."""
    return pack({**header, "channels": x.shape[1], "colors": figures.palette()}, {"x": x})


def dropout_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends its values as `state`."""
    _component(key=key, data=data, on_state_change=on_change)

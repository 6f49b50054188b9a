"""A batch before and after a norm, drawn in the browser: what is pointed at and changed is answered there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.analysis.numbers.norms import EPS, MOMENTUM
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_norms", Path(__file__).parent)


def payload(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """Everything the view shows: `types.d.ts` beside this file names the header's fields and the arrays."""
    empty = {
        "tokens": [],
        "labels": [],
        "filters": [],
        "eps": EPS,
        "momentum": MOMENTUM,
        "colors": figures.palette(),
    }
    none = {"images": np.zeros(0, np.float32), "unit": np.zeros(0, np.uint8)}
    return pack({**empty, **header}, {**none, **arrays})


def norms_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends its values as `state`."""
    _component(key=key, data=data, on_state_change=on_change)

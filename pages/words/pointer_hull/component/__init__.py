"""Points that can be moved, the line that the network draws through them, and the rays of a step.

A set of points and the attention of all steps are sent whole, and walked in the browser. It answers with points, moved, added
or taken away, and with the step that is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_pointer_hull", Path(__file__).parent)


def payload(points: Int[np.ndarray, "n 2"], attention: Float[np.ndarray, "t s"], **header: Any) -> bytes:
    """What the view shows: points in thousandths of a square and a row of weights for each step, the end marker's last.

    `header` has `order`, `exact`, `missed` and `extra` (indices), `verdict`, `step` (from 1; beyond the last is the last),
    `origin`, which names the set, `seq`, the number of the browser's last message, and `picture`.
    """
    arrays = {"points": points.astype(np.uint16), "attention": attention.astype(np.float32)}
    return pack({**header, "colors": figures.palette()}, arrays)


def hull_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"points": [[x, y], ...] or null, "step", "origin", "seq"} as `hull`."""
    _component(key=key, data=data, on_hull_change=on_change)

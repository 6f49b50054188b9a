"""One step of training, drawn in the browser: a plane of the vectors, probabilities before and after, the loss for every rate.

The vectors are sent once, so that the rate, a throw of the die and CBOW's word need no server. All three methods share it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_training_step", Path(__file__).parent)


def payload(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], state: Mapping[str, Any]) -> bytes:
    """Everything the view shows. `header` has the mode and what belongs to it, `state` what the link keeps and a `seq`."""
    return pack({**header, "colors": figures.palette(), "state": dict(state)}, arrays)


def step_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends its state as `place` when it rests."""
    _component(key=key, data=data, on_place_change=on_change)

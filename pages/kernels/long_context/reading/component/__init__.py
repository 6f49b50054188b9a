"""A long text to read beside a head's map: every word coloured by what a pinned query reads, or by its loss.

The text, its losses and the map are sent once for a text and a head, the pinned query's row with each pin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

COLORS = ("reads", "loss")

_component = component("tlmviz_long_reading", Path(__file__).parent)


def payload(
    tokens: Sequence[str],
    loss: Float[np.ndarray, " t_minus_1"],
    row: Float[np.ndarray, " t"],
    pooled: Float[np.ndarray, "n n"],
    **header: Any,
) -> bytes:
    """What the view shows: losses in nats of each next token, the pinned query's `row`, and the head's pooled map.

    `header` has model, layer, head, `query`, `far` (heads that read far, each with its measure), color, seq and picture.
    """
    names = {"tokens": list(tokens), "colors": figures.palette()}
    return pack({**header, **names}, {"loss": loss, "row": row, "map": pooled})


def reading(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"query", "color", "head", "seq"} as `place`, `head` null or [layer, head]."""
    _component(key=key, data=data, on_place_change=on_change)

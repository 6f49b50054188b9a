"""A long text to read beside a head's map: every word coloured by what a pinned query reads, or by its loss.

The browser computes a pinned query's row itself, from q, k and lse of the head, which are sent once. Where it cannot, or
they are too much to send, the row comes from the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    exact: Mapping[str, np.ndarray],
    **header: Any,
) -> bytes:
    """What the view shows: losses in nats of each next token, the pinned query's `row`, the head's pooled map, and `exact`:
    what the browser computes other rows from, empty where it holds that or cannot.

    `header` has model, layer, head, `query`, `far` (heads that read far, each with its measure), color, seq, picture, `origin`
    (what names the text and the head) and what `attention_view.arithmetic` gives.
    """
    names = {"tokens": list(tokens), "colors": figures.palette()}
    return pack({**header, **names}, {"loss": loss, "row": row, "map": pooled, **exact})


def reading(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"query", "color", "head", "seq", "holds"} as `place`: `head` null or [layer, head],
    `holds` the origin of which it computes rows, or ""."""
    _component(key=key, data=data, on_place_change=on_change)

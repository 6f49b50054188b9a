"""A translation and its source as two rows of words, and the attention between them as ribbons that can be moved.

The map of one text is sent whole, a few hundred numbers. The browser answers with pins: steps that must look at one token.
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

_component = component("tlmviz_alignment_ribbons", Path(__file__).parent)


def payload(
    weights: Float[np.ndarray, "t s"],
    source: Sequence[str],
    target: Sequence[str],
    changed: Sequence[bool],
    **header: Any,
) -> bytes:
    """What the view shows: a map, the names of its tokens, and which of the target's are new.

    `header` has `was` and `now` (each a text and its logp), `pins`, `origin`, which names the text that is rewritten,
    `seq`, the number of the browser's last message, `picture`, `model` and `map`.
    """
    names = {"source": list(source), "target": list(target), "changed": list(changed)}
    return pack({**header, **names, "colors": figures.palette()}, {"weights": weights})


def ribbons(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"pins": [[step, token], ...], "origin", "seq"} as `pins`."""
    _component(key=key, data=data, on_pins_change=on_change)

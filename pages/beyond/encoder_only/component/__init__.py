"""Two texts of chips, drawn in the browser: one whose tokens are hidden by a click, and one that [CLS] reads.

All that a click shows is sent at once; the browser answers with what was chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_hidden = component("tlmviz_encoder_hidden", Path(__file__).parent, entry="hidden.js")
_cls = component("tlmviz_encoder_cls", Path(__file__).parent, entry="cls.js")


def hidden_payload(both: Float[np.ndarray, " t"], causal: Float[np.ndarray, " t"], **header: Any) -> bytes:
    """For each place the probability of the token that stands there, hidden alone: read from both sides, and from the left.

    `header` has `tokens`, `masked` (which places were hidden already), `offers` (of each place the best [token, probability] of
    both), `place`, the one that is hidden first, and `picture`.
    """
    return pack({**header, "colors": figures.palette()}, {"both": both, "causal": causal})


def hidden_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show it; the browser sends the hidden token's `place`."""
    _hidden(key=key, data=data, on_place_change=on_change)


def cls_payload(row: Float[np.ndarray, "l h s"], **header: Any) -> bytes:
    """What [CLS] weighs in every layer and head.

    `header` has `tokens`, `first` (the place of the [SEP] between the texts), `layer`, `head`, `verdicts` (a
    [question, probability] each) and `picture`.
    """
    return pack({**header, "colors": figures.palette()}, {"row": row.astype(np.float32)})


def cls_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show it; the browser sends the chosen `head`, [layer, head]."""
    _cls(key=key, data=data, on_head_change=on_change)

"""A text whose words are shaded by how much of their prediction was copied, with the pointer's weights as arcs.

Every row is sent whole and walked in the browser, which answers with the word that is looked at.
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

_component = component("tlmviz_pointer_sentinel", Path(__file__).parent)


def payload(gate: Float[np.ndarray, " t"], pointer: Float[np.ndarray, "t t"], **header: Any) -> bytes:
    """What the view shows: the gate, and the pointer's rows, of which row t predicts word t + 1.

    `header` has `tokens`, `unknown` (whether each is outside of the vocabulary), `offers` ([word, written, copied] of each row),
    `word`, the place of the word that is predicted, from 1 (the number of words: what would follow), and `picture`.
    """
    arrays = {"gate": gate.astype(np.float32), "pointer": pointer.astype(np.float32)}
    return pack({**header, "colors": figures.palette()}, arrays)


def copy_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends a place as `word`."""
    _component(key=key, data=data, on_word_change=on_change)

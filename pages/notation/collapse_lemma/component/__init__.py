"""All heads' maps with one M, or with one W_V W_O, drawn in the browser for every combination of what stands between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from tlmviz import figures
from tlmviz.analysis.notation.collapse import Collapsed
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

SHARES = 65_535  # of 1, in 16 bits

_component = component("tlmviz_collapse_lemma", Path(__file__).parent)


def payload(found: Collapsed, *, tokens: Sequence[str], **header: Any) -> bytes:
    """What the view begins with. `header` has `title`, `part`, `on`, `origin` and `picture`."""
    measured = {
        "tokens": list(tokens),
        "heads": len(found.trained),
        "trained": found.trained_apart,
        "apart": [[each.logits, each.maps, each.output] for each in found.apart],
        "missed": list(found.missed),
    }
    arrays = {
        "trained": _shares(found.trained),
        "maps": _shares(found.maps),
        "scores": found.values[0].float().numpy(),
        "weights": _shares(found.values[1]),
    }
    return pack({**header, **measured, "colors": figures.palette()}, arrays)


def _shares(maps: Tensor) -> np.ndarray:
    return np.rint(SHARES * maps.numpy()).astype(np.uint16)


def collapse_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"part", "on", "origin"} as `lemma`."""
    _component(key=key, data=data, on_lemma_change=on_change)

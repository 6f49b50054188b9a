"""The most probable next tokens as bars on a fixed scale from 0 to 100 %."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tlmviz import figures
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_next_tokens", Path(__file__).parent)


def next_tokens(
    names: Sequence[str], probabilities: np.ndarray, after: str, *, key: str, height: int
) -> None:
    """Bars of K tokens with their probabilities [K], largest first; a token with probability 0 is left out.

    `after` names the token that they follow. `height` in pixels.
    """
    rows = [
        {"name": name, "p": float(p)} for name, p in zip(names, probabilities, strict=True) if float(p) > 0.0
    ]
    data = {"rows": rows, "after": after, "height": height, "colors": figures.palette()}
    _component(key=key, data=data)

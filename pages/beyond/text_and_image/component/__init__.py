"""A picture that is laid out cell by cell, and who looks where: words at patches, and in the turned model patches at words.

Picture, answer, marks and both models' maps are sent whole; words, patches and heads are walked in the browser. It answers with
what was put into a cell, or the question that was picked, and with what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_text_and_image", Path(__file__).parent)


def payload(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """What the view shows: `pixels` uint8 [24, 24], `maps` [Q + W, L, H, 36] of the words of question and answer, `marks`
    [36] and `turned` [36, L, H, W]; the header's parts are in component/types.d.ts.
    """
    return pack({**header, "colors": figures.palette()}, arrays)


def scene_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"put" or "question", "shown", "cell", "seq"} as `scene`."""
    _component(key=key, data=data, on_scene_change=on_change)

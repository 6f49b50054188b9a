"""A text with what is predicted several tokens ahead of a position, or a text that is written pass by pass.

All positions and passes are sent whole and walked in the browser, which answers with the one that is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_next_tokens_page", Path(__file__).parent)


def payload(**header: Any) -> bytes:
    """What the view shows. `kind` is "chains" or "rounds", `tokens` the text's, `at` what is looked at, from 1, and `picture`.

    `chains` has a list of stages for each token, {"reads", "word", "p", "right" (null beyond the text), "top" [word, p]}.
    `rounds` has a list of passes, {"proposed" [word, chance], "accepted", "added" (null where the text ended before)}.
    """
    return pack({**header, "colors": figures.palette()}, {})


def ahead_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends a position as `place`, or a pass as `step`."""
    _component(key=key, data=data, on_place_change=on_change, on_step_change=on_change)

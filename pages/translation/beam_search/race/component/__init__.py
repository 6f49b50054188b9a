"""Beams of several widths that advance together, and a translation that the reader writes against them.

Everything that the searches kept is sent once and walked in the browser; a chosen token goes to the server, which
answers with the probabilities of the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tlmviz import figures
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_beam_race", Path(__file__).parent)


def payload(**data: Any) -> dict[str, Any]:
    """What the view shows: `lanes`, one a width; the `best` text of all; the `duel` with the reader; model, step, origin, seq."""
    warm = {name: theme.warm for name, theme in figures.THEMES.items()}
    return {**data, "colors": figures.palette(), "warm": warm}


def race(data: dict[str, Any], *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"step", "own", "origin", "seq"} as `race`. A `step` of -1 is the end."""
    _component(key=key, data=data, on_race_change=on_change)

"""A lesson over the whole window: scenes of one sentence, one picture and one act, all sent at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_lesson", Path(__file__).parent)


def lesson(payload: Mapping[str, Any]) -> None:
    """Draw it. The browser goes from scene to scene by itself, and says in its address where it is and what was answered."""
    _component(key="lesson", data=payload, height=1)

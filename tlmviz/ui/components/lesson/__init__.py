"""A lesson over the whole window: scenes of one sentence, one picture and one act, all sent at once."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_lesson", Path(__file__).parent)
_room = component("tlmviz_lesson_room", Path(__file__).parent, html="<i hidden></i>", entry="room.js")
_resume = component("tlmviz_lessons_left", Path(__file__).parent, html="<i hidden></i>", entry="resume.js")
_ROOM = "lesson-room"


def lesson(payload: Mapping[str, Any]) -> None:
    """Draw it. The browser goes from scene to scene by itself, and says in its address where it is and what was
    answered."""
    _component(key="lesson", data=payload, height=1)


def room(standing: Mapping[str, Any]) -> None:
    """Tell the lesson how its room stands."""
    _room(key=_ROOM, data=standing, on_said_change=lambda: None, height=1)


def said() -> Mapping[str, Any]:
    """The scene that the browser is at, its tab's number, and what it answered; nothing until it has said so."""
    return getattr(st.session_state.get(_ROOM), "said", None) or {}


def resume() -> None:
    """On cards of lessons, `article[data-lesson]`: offer to go on with those that this browser left in an earlier
    visit."""
    _resume(key="resume", data={"time": time.time()}, height=1)

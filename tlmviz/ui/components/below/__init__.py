"""Tells the server that a live picture is painted and what is below it on the screen."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from tlmviz.ui.components.scripts import component

PAINTED = "_painted"  # in a session: that its browser has painted a live picture
_component = component("tlmviz_below", Path(__file__).parent)


def listen(area: str, drawn: int, seen: bool) -> None:
    """Let the browser ask for what belongs into the container with the key `area`.

    It asks when it has painted a picture with a higher number than `drawn`, and if it must be `seen`, not before the
    container is on the screen.
    """
    data = {"area": area, "drawn": drawn, "seen": seen}
    _component(key=f"{area}-signal", data=data, on_painted_change=_painted, height=1)


def _painted() -> None:
    """Callback: before the run that it asks for, so that the run's first answer says that it is being drawn."""
    st.session_state[PAINTED] = True

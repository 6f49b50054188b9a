"""Figures that play: each frame is drawn before the next one begins, however slow the browser draws."""

from __future__ import annotations

from pathlib import Path

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_patient_player", Path(__file__).parent, html="<i hidden></i>")


def mount() -> None:
    """Make all figures of a page patient; once a page."""
    _component(key="patient-player", height=1)

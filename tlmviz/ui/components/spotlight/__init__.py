"""A frame of light around the place that a step of a tour speaks of; the page below it stays live."""

from __future__ import annotations

from pathlib import Path

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_spotlight", Path(__file__).parent, html="<i hidden></i>")


def spotlight(step: str, place: str) -> None:
    """Frame the first element that the CSS selector `place` finds; where `step` is new the page scrolls there once."""
    _component(key="spotlight", data={"step": step, "place": place}, height=1)

"""A frame of light around the place that a step of a tour speaks of; the page below it stays live."""

from __future__ import annotations

import time
from pathlib import Path

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_spotlight", Path(__file__).parent, html="<i hidden></i>")
_resume = component("tlmviz_resume", Path(__file__).parent, html="<i hidden></i>", entry="resume.js")


def spotlight(step: str, place: str, link: str, text: str | None, hide: bool) -> None:
    """Frame the first element that the CSS selector `place` finds; where `step` is new the page scrolls there once.

    With `hide` it is blurred, and the page's sentence too, as what they show would answer a question. The browser keeps the
    `link` of the step, if there is one, by which the page Tours offers to go on, and shows the bar's way back where the page's
    text is not the step's `text`.
    """
    data = {"step": step, "place": place, "link": link, "text": text, "hide": hide}
    _component(key="spotlight", data=data, height=1)


def resume() -> None:
    """On cards of tours, `article[data-tour]`: offer to go on with those that this browser left in an earlier visit."""
    _resume(key="resume", data={"time": time.time()}, height=1)

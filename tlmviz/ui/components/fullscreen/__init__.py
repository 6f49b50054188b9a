"""A button that shows the page on the full screen, where the browser can; a page's style says what is left out
there."""

from __future__ import annotations

from pathlib import Path

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_fullscreen", Path(__file__).parent, html="<button hidden></button>")


def button(label: str) -> None:
    """Draw it. In the browser only who presses can begin the full screen, so the press never comes to the server."""
    _component(key="fullscreen", data={"label": label})

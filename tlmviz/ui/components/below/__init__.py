"""Tells the server that a live picture is painted and what is below it on the screen."""

from __future__ import annotations

from pathlib import Path

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_below", Path(__file__).parent)


def asked_for(area: str, drawn: int) -> bool:
    """Whether the browser asks, in this run, for what belongs into the container with the key `area`.

    It asks when it has painted a picture with a higher number than `drawn` and the container is on the screen.
    """
    data = {"area": area, "drawn": drawn}
    result = _component(key=f"{area}-signal", data=data, on_painted_change=_ignore, height=1)
    return result.painted is not None


def _ignore() -> None:
    pass

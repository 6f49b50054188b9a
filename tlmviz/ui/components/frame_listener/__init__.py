"""Tells the server which frame the user stopped at, in a figure whose frames the browser plays without the server."""

from __future__ import annotations

from pathlib import Path

from tlmviz.ui.components.scripts import component

_component = component("tlmviz_stream_walk", Path(__file__).parent, html="<i hidden></i>")


def left_at(chart: str, key: str) -> int | None:
    """The frame at which the figure with key `chart` was stopped; None until it moves. A new `key` forgets it."""
    frame = _component(key=key, data={"chart": chart}, on_frame_change=lambda: None, height=1).frame
    return None if frame is None else int(frame)

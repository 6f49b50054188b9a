"""An ear at a figure that is walked in the browser: tells the server where its slider was left.

Plotly's slider moves without the server, as it should; but other views follow the token that the user walked to.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_component = st.components.v2.component(
    "tlmviz_stream_walk",
    js=(Path(__file__).parent / "view.js").read_text(encoding="utf-8"),
    html="<i hidden></i>",
)


def left_at(chart: str, key: str) -> int | None:
    """The frame that the walk of the figure with key `chart` was left at; None until it moves. A new `key` forgets."""
    found = _component(key=key, data={"chart": chart}, on_frame_change=lambda: None, height=1).frame
    return None if found is None else int(found)

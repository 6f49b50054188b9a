"""A Plotly figure, drawn by Plotly's cartesian bundle: a third of what Streamlit's own chart loads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import plotly.io

from tlmviz.hosting.vendored import Script
from tlmviz.ui.components.scripts import component

NAME = "tlmviz_chart"
_component = component(NAME, Path(__file__).parent, isolated=False)


def chart(
    figure: go.Figure,
    script: Script,
    *,
    key: str,
    alt: str,
    config: dict[str, Any],
    lang: str,
    select: str | None,
    on_select: Callable[[], None] | None,
) -> None:
    """Draw a figure by one of Plotly's scripts, with its `config` and the description `alt`; `select` is None, "points"
    or "box".

    The chart's own sentences are in the language `lang`. While `on_select` runs, and in the run after it, the session
    has at `key` {"selection": {"points": [...]}} or {"selection": {"box": [...]}}.
    """
    head = json.dumps({"alt": alt, "config": config, "select": select, "script": script.path, "lang": lang})
    # As bytes: what is sent as JSON Streamlit would write twice. Arrays are base64 in it, which Plotly reads.
    data = f'{head[:-1]}, "figure": {plotly.io.to_json(figure, validate=False)}}}'.encode()
    _component(key=key, data=data, on_selection_change=on_select or _ignore)


def _ignore() -> None:
    pass

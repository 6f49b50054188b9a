"""A number and its bits in every format, drawn in the browser: clicks and typing are answered there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tlmviz import figures
from tlmviz.analysis.numbers.formats import FORMATS
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_number_formats", Path(__file__).parent)


def payload(**header: Any) -> bytes:
    """What the view begins with: `format` (a key), `text` (what is typed), `origin` and `picture`."""
    formats = [format.described() for format in FORMATS]
    return pack({**header, "formats": formats, "colors": figures.palette()}, {})


def formats_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"format", "text", "origin"} as `number`."""
    _component(key=key, data=data, on_number_change=on_change)

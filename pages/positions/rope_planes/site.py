"""The page RoPE planes on a static site: its part Clocks."""

from __future__ import annotations

from typing import Any

from tlmviz.site.pages import described
from tlmviz.ui import inputs, rope
from tlmviz.ui.compute import DEFAULT_MODEL

from .state import CLOCKS


def given() -> dict[str, Any]:
    """What site.js begins with; `models` are those that turn their queries and keys by one base."""
    return {"model": DEFAULT_MODEL, "models": rope.rope_models(), "text": described(inputs.TEXT), "part": CLOCKS}

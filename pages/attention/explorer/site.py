"""The Attention explorer on a static site: the page of a live file, with a menu of models and the links of the app."""

from __future__ import annotations

from typing import Any

from tlmviz.notebook.live import opening
from tlmviz.notebook.parts import LIVE_FORM, LIVE_STYLE
from tlmviz.ui.components.attention_view import TAG_TABLE
from tlmviz.ui.compute import DEFAULT_MODEL
from tlmviz.ui.inputs import DEFAULT_TEXT

BODY = LIVE_FORM.format(name="the model")
STYLE = LIVE_STYLE


def given() -> dict[str, Any]:
    """What site.js begins with."""
    return {"opening": opening(DEFAULT_TEXT), "tags": TAG_TABLE, "model": DEFAULT_MODEL}

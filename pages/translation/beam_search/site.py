"""The page Beam search on a static site: its part Race, and below it the ranking."""

from __future__ import annotations

from typing import Any

from tlmviz import figures
from tlmviz.ui import translation

BODY = """<div id="controls"></div>
<p id="problem" role="alert"></p>
<div id="view"></div>
<div id="ranking"></div>"""


def given() -> dict[str, Any]:
    """What site.js begins with."""
    return {"model": translation.DEFAULT_MODEL, "warm": {name: theme.warm for name, theme in figures.THEMES.items()}}

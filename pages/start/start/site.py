"""Start on a static site: the sentence read in the browser, and the pages that the site has."""

from __future__ import annotations

from typing import Any

from tlmviz.ui.inputs import DEFAULT_TEXT

from .data import MODEL
from .view import OF_ANY

BODY = """<label class="sentence" for="text">A sentence: a real model reads it here,
and nothing leaves this page.</label>
<textarea id="text" rows="2" spellcheck="false" autocomplete="off"></textarea>
<p id="problem" role="alert"></p>
<div id="view"></div>"""
STYLE = """#text { box-sizing: border-box; width: calc(100% - 16px); margin: 2px 8px; padding: 6px 8px; }
.sentence { display: block; margin: 4px 8px 0; }
"""


def given() -> dict[str, Any]:
    """What site.js begins with: the model, the sentence, and what is known of any."""
    return {"model": MODEL, "text": DEFAULT_TEXT, **OF_ANY}

"""What the widget and the file share: the view's style, and the sentences below it."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np

from tlmviz.files import whole
from tlmviz.tracing.trace import Trace
from tlmviz.ui.components.attention_view import FOLDER
from tlmviz.ui.components.scripts import module, style

# A comment behind code, which no text can be: that would end with a quote behind it.
REMARK = re.compile(r"(?<=[;,{}()\]]) +// [^\n`\"]*$", re.MULTILINE)
HEIGHT = 530  # pixels of the view
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>{head}
<style>
body {{ margin: 0; background: #ffffff; color: #31333f; font: 14px/1.45 system-ui, sans-serif; }}
{style}footer {{ margin: 0; padding: 0 8px 10px; max-width: 120ch; font-size: 12px; }}
footer p {{ margin: 4px 0 0; opacity: 0.8; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #10151d; color: #e6ebf2; }} }}
</style>
</head>
<body>
{body}
</body>
</html>
"""
# Of a page with a model in it, for tlmviz/ui/components/attention_view/live_page.js.
LIVE_STYLE = """form { padding: 8px 8px 0; }
textarea { box-sizing: border-box; width: 100%; padding: 6px 8px; font: inherit; color: inherit;
  background: transparent;
  border: 1px solid #8888; border-radius: 6px; resize: vertical; }
.bar { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin-top: 4px; min-height: 32px; }
button { padding: 2px 8px; font: inherit; color: inherit; background: transparent;
  border: 1px solid #8888; border-radius: 6px; }
button:disabled { opacity: 0.7; }
#next { display: contents; }
#problem { margin: 4px 8px 0; font-weight: 600; }
#problem:empty { display: none; }
[data-ahead] #view { opacity: 0.35; }
[inert] button { opacity: 0.35; }
"""
LIVE_FORM = """<form>
<label for="text">Type a text: {name} reads it here, and nothing leaves this page.</label>
<textarea id="text" rows="3" spellcheck="false" autocomplete="off"></textarea>
<div class="bar"><button id="write" type="button">Write on</button> <span>Next:</span> <span id="next"></span></div>
</form>
<p id="problem" role="alert"></p>
<div id="view"></div>"""


def theme() -> str:
    """The style of what is around a view: its colours, by the page's or the browser's theme."""
    return (Path(__file__).parent / "style.css").read_text(encoding="utf-8")


def css() -> str:
    """The style of the view and of what is around it."""
    return re.sub(r"([{};,])\s+", r"\1", "\n".join((theme(), style(FOLDER))))


@cache
def script(entry: str) -> str:
    """The module that runs a file, joined from the view's folder, without types, comments behind code, the spaces that
    lines begin with and line ends that say nothing: of texts that span lines there are style and markup alone.
    """
    text = re.sub(r"\n\s+", "\n", REMARK.sub("", re.sub(r"/\*\* @type .*?\*/ ?", "", module(FOLDER, entry))))
    text = re.sub(r"([{;,])\n", r"\1", text)
    if "</script" in text.lower():
        raise ValueError("A script that ends its own element cannot stand inside a page.")
    return text


def document(*, policy: str, title: str, body: str, style: str = "", head: str = "") -> str:
    """A page of its own; `title` alone is a text and not markup."""
    return PAGE.format(policy=policy, title=html.escape(title), body=body, style=style, head=head)


def notes_below(notes: Iterable[str]) -> str:
    """Sentences at the end of a page."""
    return f"<footer>{''.join(f'<p>{html.escape(note)}</p>' for note in notes)}</footer>"


def inside(text: str) -> str:
    """JSON in which no text ends the element that it stands in."""
    return text.replace("<", "\\u003c")


def title(trace: Trace) -> str:
    """What is shown, in a line."""
    name = trace.model or trace.made_by or "attention"
    return f"{name}: {trace.n_layers} layers × {trace.n_heads} heads, {len(trace)} tokens"


def start(trace: Trace) -> dict[str, int]:
    """The head that opens: the one that looks back one token most, or of the largest peak where that has no meaning."""
    table = trace.statistics()
    previous = np.nan_to_num(table["previous"])
    best = int(np.argmax(previous if previous.any() else np.nan_to_num(table["peak"])))
    return {"layer": best // trace.n_heads, "head": best % trace.n_heads}


def write_file(path: str | os.PathLike[str], text: str) -> None:
    """Write a page. Raises BadFile where that cannot be done."""
    with whole(path) as beside:
        beside.write_text(text, encoding="utf-8")

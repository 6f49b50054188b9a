"""Draws the page Start: the sentence that is looked at, and the chapters as pictures."""

from __future__ import annotations

import base64
from html import escape

import streamlit as st

from pages import HOME, SECTIONS
from tlmviz.errors import Error
from tlmviz.figures import readable
from tlmviz.ui import below, frame, inputs
from tlmviz.ui import compute as shared
from tlmviz.ui.tours.parts import address

from . import compute, words
from .component import first_look

EXPLORER = HOME.rpartition("/")[2]
_STYLE = """<style>
.chapters { display: grid; grid-template-columns: repeat(auto-fill, minmax(11.5rem, 1fr)); gap: 0.7rem; }
.chapters a { color: inherit; text-decoration: none; border: 1px solid rgba(128, 140, 155, 0.4); border-radius: 0.4rem;
  overflow: hidden; font-size: 0.87rem; line-height: 1.3; padding-bottom: 0.5rem; }
.chapters a:is(:hover, :focus-visible) { border-color: #6db3f2; box-shadow: 0 0 0 1px #6db3f2; }
.chapters img { display: block; width: 100%; aspect-ratio: 8 / 5; }
.chapters :is(b, span) { display: block; padding: 0.25rem 0.6rem 0; }
@media (max-width: 640px) { .chapters { grid-template-columns: 1fr 1fr; gap: 0.5rem; } }
</style>"""


def look(text: str) -> None:
    """The sentence as words, lit by what the chosen one looks at."""
    tokens, heads = compute.heads(text)
    sent = [
        {
            "name": words.HEADS[name],
            "label": f"Layer {head.layer}, head {head.head}",
            "weights": head.weights.round(3).tolist(),
            "row": head.row,
        }
        for name, head in heads.items()
    ]
    first_look(
        [readable(token).lstrip("␣") or "␣" for token in tokens],
        sent,
        picture=below.next_picture(),
        color=frame.theme().accent,
        key="firstlook",
    )
    trace = shared.trace(compute.MODEL, text)
    if len(trace) > len(tokens):
        frame.caption(words.SHORT.format(tokens=len(tokens)))
    frame.caption(words.HOW)
    heads_said = words.ALL_HEADS.format(heads=trace.n_layers * trace.n_heads, model=compute.MODEL)
    st.html(
        f'<a data-card="step" href="{escape(_link(EXPLORER, "language", text, bare=True))}">{heads_said} →</a>'
    )


def _link(path: str, models: str, text: str, bare: bool = False) -> str:
    """The link of a page, with the sentence where it reads one; the explorer's names something, else it leads to Start."""
    query = {"text": text} if models == "language" and text != inputs.DEFAULT_TEXT else {}
    return address(path, EXPLORER, query or ({"mode": "map"} if bare else {}))


def chapters(text: str) -> None:
    """Every chapter as a card: its picture, its claim, and the link to its first page."""
    cards = "".join(_card(chapter, text) for chapter in words.CLAIMS)
    st.html(f'{_STYLE}<div class="chapters">{cards}</div>')


def _card(chapter: str, text: str) -> str:
    page, claim = SECTIONS[chapter][0], words.CLAIMS[chapter]
    try:
        drawn = base64.b64encode(compute.picture(chapter, text, frame.theme()).encode()).decode()
        picture = f'<img src="data:image/svg+xml;base64,{drawn}" alt="{escape(words.card_alt(claim))}">'
    except Error:  # a sentence of one word has no variance, and a model may be missing
        picture = ""
    href = _link(page.path, page.models, text, bare=page.folder == HOME)
    return f'<a data-card="step" href="{escape(href)}">{picture}<b>{escape(chapter)}</b><span>{escape(claim)}</span></a>'

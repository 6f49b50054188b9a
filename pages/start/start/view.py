"""Draws the page Start: the sentence that is looked at, and the chapters as pictures."""

from __future__ import annotations

import base64
import contextlib
from dataclasses import replace
from html import escape
from pathlib import Path

import streamlit as st

from pages import HOME, SECTIONS
from tlmviz.errors import Error
from tlmviz.ui import compute as shared
from tlmviz.ui import deferred, engine, frame, handoff, inputs, language
from tlmviz.ui.components.attention_view import TAG_TABLE
from tlmviz.ui.components.scripts import component
from tlmviz.ui.handoff import address
from tlmviz.ui.language import N_, _
from tlmviz.ui.lessons import runner
from tlmviz.ui.lessons.table import LESSONS

from .data import BACK, MODEL, MOST, Data
from .state import Start

EXPLORER = HOME.rpartition("/")[2]
BACK_ONE, FINDING = N_("A head that looks one back"), N_("A head that finds")
# What the first head is called, by the tag whose row it opens on; what it is called by any other tag is FINDING.
NAMES = {"": N_("The sharpest head")}
# What a browser looks at any sentence by: how many tokens it shows, and what heads are called.
OF_ANY = {"most": MOST, "named": {"back": BACK_ONE, "finding": FINDING, "others": NAMES}, "tags": TAG_TABLE}
READER = Path(__file__).parent / "reader.js"
SHOWS = {  # chapter -> what it shows in a sentence; the picture is of the same
    "Attention": N_("Every word looks at earlier ones, and each head in its own way."),
    "Positions": N_("A score depends on how far apart two words stand."),
    "Caches": N_("What is kept for each word: the fewer heads of keys and values, the less."),
    "Translation": N_("Each word that is written looks at the words that are read."),
    "Beyond decoders": N_("A few learned rows read nine handwritten digits, each other ones."),
    "Streams and experts": N_("Four residual streams, mixed by matrices that cannot amplify."),
    "Words": N_("Words that stand in like places lie near each other."),
    "Numbers": N_("Sums of more products spread further: why scores are divided by √d."),
    "Cost and kernels": N_("Where the parameters are: attention, feed-forward part, table."),
    "Workbench": N_("Change one word, and see whose attention moves."),
}
# It walks along the words by itself until somebody points at one.
_first_look = component("tlmviz_first_look", Path(__file__).parent)
_STYLE = """<style>
.chapters { display: grid; grid-template-columns: repeat(auto-fill, minmax(11.5rem, 1fr)); gap: 0.7rem; }
.chapters a { color: inherit; text-decoration: none; border: 1px solid rgba(128, 140, 155, 0.4); border-radius: 0.4rem;
  overflow: hidden; font-size: 0.87rem; line-height: 1.3; padding-bottom: 0.5rem; }
.chapters a:is(:hover, :focus-visible) { border-color: #6db3f2; box-shadow: 0 0 0 1px #6db3f2; }
.chapters img { display: block; width: 100%; aspect-ratio: 8 / 5; }
.chapters :is(b, span) { display: block; padding: 0.25rem 0.6rem 0; }
@media (max-width: 640px) { .chapters { grid-template-columns: 1fr 1fr; gap: 0.5rem; } }
</style>"""


def look(data: Data) -> None:
    """The sentence as words, lit by what the chosen one looks at."""
    text = data.chosen.text
    sent = {
        "engine": engine.offer(MODEL, text, READER, **OF_ANY),
        "tokens": data.words,
        "expected": [(word, round(p, 3)) for word, p in data.next_words],
        "heads": [
            {
                "name": _(BACK_ONE if name == BACK else NAMES.get(head.tag, FINDING)),
                "label": _("L{layer}H{head}", layer=head.layer, head=head.head),
                "weights": head.weights.round(3).tolist(),
                "row": head.row,
            }
            for name, head in data.heads.items()
        ],
        "picture": deferred.next_picture(),
        "asks": not data.chosen.guessed,
        "color": frame.theme().accent,
        "lang": language.LANGUAGE.get(),
    }
    _first_look(key="firstlook", data={"header": sent, "arrays": {}}, on_guessed_change=lambda: Start.guessed.set(1))
    frame.caption(
        _(
            "The framed word looks; the bluer a word, the more it is looked at. Point at any word, or tap it. Words "
            "after it are not seen yet."
        )
    )
    config = shared.model(MODEL).config
    every = _(
        "All {heads} heads of {model}, in the Attention explorer", heads=config.n_layers * config.n_heads, model=MODEL
    )
    first = next(iter(LESSONS.values()))
    begin = _("Begin the lessons: {title}", title=_(first.title))
    handoff.anchors({begin: runner.to(first.name, _own(text)), every: _link(EXPLORER, "language", text, bare=True)})


def _own(text: str) -> str:
    """The visitor's own sentence, which the first lesson takes along; none where it is too long for one."""
    return text if text != inputs.DEFAULT_TEXT and len(text) <= runner.LONGEST else ""


def _link(path: str, models: str, text: str, bare: bool = False) -> str:
    """The link of a page, with the sentence where it reads one; the explorer's names something, else it leads to
    Start."""
    query = {"text": text} if models == "language" and text != inputs.DEFAULT_TEXT else {}
    return address(path, EXPLORER, query or ({"mode": "map"} if bare else {}))


def chapters(data: Data) -> None:
    """Every chapter as a card: its picture, its claim, and the link to its first page."""
    cards = "".join(_card(chapter, data) for chapter in SHOWS)
    st.html(f'{_STYLE}<div class="chapters">{cards}</div>')


def _card(chapter: str, data: Data) -> str:
    page, claim = SECTIONS[chapter][0], _(SHOWS[chapter])
    picture = ""
    text = data.chosen.text
    for shown in (data, Data(replace(data.chosen, text=inputs.DEFAULT_TEXT))):  # a sentence of one word has no variance
        with contextlib.suppress(Error):  # a model may be missing
            drawn = base64.b64encode(shown.picture(chapter, frame.theme()).encode()).decode()
            alt = escape(_("A picture of this chapter: {claim}", claim=claim))
            picture = f'<img src="data:image/svg+xml;base64,{drawn}" alt="{alt}">'
            break
    href = _link(page.path, page.models, text, bare=page.folder == HOME)
    return (
        f'<a data-card="step" href="{escape(href)}">{picture}<b>{escape(chapter)}</b><span>{escape(claim)}</span></a>'
    )

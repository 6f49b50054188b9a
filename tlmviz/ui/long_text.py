"""Texts that may be longer than a link: bundled stories, or what the user wrote or pasted; the pages on long texts
share them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from . import address, compute, link, state, texts
from .language import N_

Ids = tuple[int, ...]
SAMPLE, OWN = "Sample stories", "Your own text"
IN_LINK = 2000  # characters of an own text that still go into the link
# Streamlit would walk through 16,384 ids for a quarter of a second, at every look into a cache.
HASH_FAST = {tuple: hash}


class _OwnText(state.Control):
    """The user's own text in the state of a declared page; one that is too long for a link is left out of it."""

    def put(self, value: str | None = None) -> None:
        text = self.get() if value is None else value
        in_link = text if len(text) <= IN_LINK else ""
        address.put(self.key, in_link, not in_link, self.kind)


TEXT: Any = _OwnText(
    "own",
    "",
    link.up_to(state.LONGEST),
    widget="text_area",
    label=N_("Your text"),
    help=N_("Press Ctrl+Enter, or click outside the box."),
    more={"height": 100, "label_visibility": "collapsed", "placeholder": texts.PASTE_PLACEHOLDER},
)


@st.cache_data(max_entries=16, show_spinner=False)
def encoded(name: str, text: str) -> Ids:
    """All ids of a text for a model, behind the token that its texts begin with."""
    return tuple(compute.model(name).tokenizer.encode(text, bos=True))


def text_line(text: str) -> str:
    """The line of a snippet that gives the user's own text: spelled out, or read from a file where a link cannot hold
    it."""
    if len(text) <= IN_LINK:
        return f"text = {text!r}"
    return 'text = open("your_text.txt", encoding="utf-8").read()  # what is in the box'


def text_lines(text: str, source: str) -> tuple[str, str]:
    """For a snippet: the import that the bundled stories need (a whole line, or nothing), and the line that gives the
    text."""
    if source == SAMPLE:
        return "from tlmviz.analysis.samples import sample_text\n", "text = sample_text()"
    return "", text_line(text)

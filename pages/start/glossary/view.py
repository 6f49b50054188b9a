"""Draws the page Glossary: the list of terms, which the browser searches."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages import HOME
from tlmviz.ui import glossary
from tlmviz.ui.tours import bar
from tlmviz.ui.tours.parts import address

from . import controls, words
from .component import list_terms
from .compute import Entry

EXPLORER = HOME.rpartition("/")[2]
TOURS = 2  # that a term leads to, at most


def unknown(choice: controls.Choice) -> None:
    """A sentence where the link names a term that there is not."""
    if choice.asked and choice.term is None:
        st.info(words.UNKNOWN.format(asked=choice.asked.replace("`", ""), count=len(glossary.TERMS)))


def terms(choice: controls.Choice, entries: tuple[Entry, ...]) -> None:
    """All terms; the browser shows those that fit the search."""
    list_terms(
        [_sent(entry) for entry in entries],
        find=choice.find,
        term=choice.term or "",
        key=controls.KEY,
        on_change=controls.keep,
    )
    controls.share()


def _sent(entry: Entry) -> dict[str, Any]:
    """An entry as the browser reads it."""
    return {
        "name": entry.name,
        "aliases": [form for form in entry.aliases if form.lower() != entry.name.lower()],
        "text": entry.text,
        "link": f"{glossary.PAGE}?{urlencode({'term': entry.name})}",
        "pages": [
            {"title": page.title, "count": count, "link": _page_link(page.path)}
            for page, count in entry.pages
        ],
        "tours": [
            {"title": f"{tour.title}, step {step}", "link": bar.step_address(tour, step, EXPLORER)}
            for tour, step in entry.tours[:TOURS]
        ],
    }


def _page_link(path: str) -> str:
    """A page's link; the explorer's names something, else it leads to Start."""
    return address(path, EXPLORER, {"mode": "map"}) if path == EXPLORER else path

"""Draws the page Glossary: the list of terms, which the browser searches."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages import HOME
from tlmviz.hosting import pictures
from tlmviz.ui import glossary, language, markdown
from tlmviz.ui.components import said_by
from tlmviz.ui.components.scripts import component
from tlmviz.ui.handoff import address
from tlmviz.ui.language import _
from tlmviz.ui.lessons import runner

from .data import Data, Entry
from .state import Glossary

KEY = "glossary"
EXPLORER = HOME.rpartition("/")[2]
LESSONS = 2  # that a term leads to, at most
# Not isolated, so that its links are followed as cards are.
_list = component("tlmviz_glossary", Path(__file__).parent, isolated=False)


def unknown(data: Data) -> None:
    """A sentence where the link names a term that there is not."""
    if data.chosen.asked.strip() and data.lit is None:
        asked = markdown.sentence(data.chosen.asked.strip().replace("`", ""))
        st.info(
            _(
                "No term is called “{asked}”; search among the {count} that there are.",
                asked=asked,
                count=len(data.entries),
            )
        )


def terms(data: Data) -> None:
    """All terms; the browser shows those that fit the search, and sends what was typed."""
    sent = {
        "entries": [_sent(entry) for entry in data.entries],
        "find": data.chosen.find,
        "term": data.lit.name if data.lit else "",
        "lang": language.LANGUAGE.get(),
    }
    _list(key=KEY, data=sent, on_find_change=_keep)


def _keep() -> None:
    """Callback of the list: what was typed becomes the search, and nothing is lit any more."""
    if typed := said_by(KEY, "find"):
        Glossary.find.set(Glossary.find.parse(str(typed.get("text", ""))))
        Glossary.asked.set("")


def _sent(entry: Entry) -> dict[str, Any]:
    """An entry as the browser reads it."""
    return {
        "name": entry.name,
        "aliases": other_forms(entry),
        "text": entry.text,
        "link": f"{glossary.PAGE}?{urlencode({'term': entry.name})}",
        "shown": {
            "title": _("{page}: {card}", page=entry.shown.page.title, card=entry.shown.title),
            "link": _page_link(entry.shown.page.path),
            "picture": pictures.address(entry.shown.picture),
        },
        "pages": [{"title": page.title, "count": count, "link": _page_link(page.path)} for page, count in entry.pages],
        "lessons": [{"title": _(lesson.title), "link": runner.to(lesson.name)} for lesson in entry.lessons[:LESSONS]],
    }


def other_forms(entry: Entry) -> list[str]:
    """Forms of a term beside its name, but for those that differ in case alone."""
    return [form for form in entry.aliases if form.lower() != entry.name.lower()]


def _page_link(path: str) -> str:
    """A page's link; the explorer's names something, else it leads to Start."""
    return address(path, EXPLORER, {"mode": "map"}) if path == EXPLORER else path

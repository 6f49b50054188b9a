"""The menu of pages in the sidebar, and its search over pages, terms, lessons and models."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

import streamlit as st

from tlmviz.checkpoints.folders import added_models

from . import glossary
from .components import menu
from .components.menu import LESSON, MODEL, PAGE, Entry, Found
from .handoff import address
from .lessons import runner
from .lessons.table import LESSONS
from .menu import MENUS

# Streamlit's own menu is there, as its links go from page to page within a session, and is not seen: it is blank until
# the style that hides it has come.
BLANK = "\u200b"
STYLE = '<style>[data-testid="stSidebarNav"] { display: none; }</style>'


class Page(Protocol):
    """A page as the app floor declares it."""

    path: str
    title: str
    icon: str
    shows: str
    models: str


Sections = Mapping[str, Iterable[Page]]


def entry(file: Path, path: str, default: bool) -> st.Page:
    """Streamlit's page of a `file`, with the address `path`, or the app's own where it is the `default`.

    Each run gets a copy, as Streamlit writes into it that it may be run.
    """
    return copy.copy(_entry(file, path, default))


@functools.cache
def _entry(file: Path, path: str, default: bool) -> st.Page:
    return st.Page(file, title=BLANK, url_path=path, default=default)  # looks for the file


def draw(home: str, sections: Sections) -> None:
    """Draw the menu; the page at the path `home` has the app's own address."""
    chapters = tuple((title, tuple(pages)) for title, pages in sections.items())
    with st.sidebar:
        menu.menu(home, glossary.PAGE, _sent(home, chapters, tuple(added_models())))


@functools.lru_cache(maxsize=8)
def _sent(home: str, chapters: tuple[tuple[str, tuple[Page, ...]], ...], added: tuple[str, ...]) -> str:
    """The chapters and what the search finds, as JSON: the same until a model is `added`."""
    entries = {title: [vars(Entry(page.path, page.title, page.icon)) for page in pages] for title, pages in chapters}
    pages = [Found(PAGE, page.title, page.shows, page.path) for _, each in chapters for page in each]
    lessons = [Found(LESSON, each.title, each.says, runner.to(each.name)) for each in LESSONS.values()]
    found = [*pages, *lessons, *_models(home, dict(chapters))]
    return json.dumps({"chapters": entries, "index": list(map(vars, found))}, ensure_ascii=False)


def _models(home: str, sections: Sections) -> list[Found]:
    """Every model, with the first page that offers it, where it is chosen."""
    found: dict[str, Found] = {}
    for page in (page for pages in sections.values() for page in pages if page.models):
        menu = MENUS[page.models]
        for name, says in menu.models().items():
            found.setdefault(name, Found(MODEL, name, says, address(page.path, home, {menu.key: name})))
    return list(found.values())

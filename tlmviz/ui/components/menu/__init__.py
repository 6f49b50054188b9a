"""The menu of the app: its pages by chapters, and above them a search over pages, terms, lessons and models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tlmviz.ui.components.scripts import component

KEY = "menu"
PAGE, LESSON, MODEL = "page", "lesson", "model"  # what is found, beside the terms
_component = component("tlmviz_menu", Path(__file__).parent)


@dataclass(frozen=True)
class Entry:
    """A page in the menu: its path, title and icon (a Material symbol)."""

    path: str
    title: str
    icon: str


@dataclass(frozen=True)
class Found:
    """What the search may find: one of PAGE, LESSON and MODEL, its title, a sentence on it, and where it leads.

    `to` is the path of a page, or the address of a lesson or of the page that shows a model.
    """

    kind: str
    title: str
    says: str
    to: str


def menu(home: str, terms: str, sent: str) -> None:
    """Draw the menu; the page at the path `home` has the app's own address, and the one at `terms` explains a term of
    its link.

    `sent` is JSON of `chapters`, title -> entries, and `index`, what is found; the terms are those that page_script
    explains. All of it is the same on every page: which one is shown is seen in the browser.
    """
    _component(key=KEY, data={"home": home, "terms": terms, "sent": sent})

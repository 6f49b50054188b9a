"""A page's examples: cards, each a picture, a sentence and a link to the page itself, and below them texts to start
from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from tlmviz.hosting import pictures

_CLAIMS = "_claims_of"  # session: the model that the cards speak of, and what their links and their words add
_STYLE = """<style>
[data-testid="stPopoverBody"]:has(.gallery) { width: min(46rem, calc(100vw - 1.5rem)); max-height: 82vh; }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(12.5rem, 1fr)); gap: 0.7rem; }
.gallery a { color: inherit; text-decoration: none; border: 1px solid rgba(128, 140, 155, 0.4); border-radius: 0.4rem;
  overflow: hidden; font-size: 0.85rem; line-height: 1.25; }
.gallery a:hover, .gallery a:focus-visible { border-color: #6db3f2; box-shadow: 0 0 0 1px #6db3f2; }
.gallery img { display: block; width: 100%; aspect-ratio: 8 / 5; object-fit: cover; object-position: left top;
  background: #fff; }
.gallery b, .gallery span { display: block; padding: 0.3rem 0.5rem 0; }
.gallery span { padding: 0.1rem 0.5rem 0.45rem; opacity: 0.8; }
</style>"""


@dataclass(frozen=True)
class Card:
    """One card: its title, the sentence on what is to be seen, the link's parameters, and the picture in words.

    The link names what differs from the page's defaults; a list of values is a tuple.
    """

    title: str
    says: str
    link: Mapping[str, str | tuple[str, ...]]
    alt: str

    @property
    def file(self) -> str:
        """The name of its picture."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-") + ".webp"

    @property
    def address(self) -> str:
        """Its link, from the page itself."""
        return "?" + urlencode(self.link, doseq=True)


def claims_of(model: str | None, key: str = "", shown: str = "", opens_on: str = "") -> None:
    """Say which `model` the cards of the page that is drawn speak of; None where it compares models of its own.

    `key` names a model in links; with another one `shown` each card says where it leads, and where the page `opens_on`
    another one its links name theirs.
    """
    if model is None:
        st.session_state.pop(_CLAIMS, None)
    else:
        st.session_state[_CLAIMS] = key, model, shown != model, opens_on != model


def menu(beside: str, cards: Iterable[Card], texts: Callable[[], None] | None = None) -> None:
    """A button that opens the `cards` whose pictures lie `beside` the file that names them, and below them the
    `texts`."""
    folder = Path(beside).parent / pictures.FOLDER
    with st.popover("Examples", key="examples"):
        st.html(f'{_STYLE}<div class="gallery">{"".join(_card(card, folder) for card in cards)}</div>')
        if texts is not None:
            texts()


def _card(card: Card, folder: Path) -> str:
    picture, alt = pictures.address(folder / card.file), escape(card.alt)
    key, model, elsewhere, named = st.session_state.get(_CLAIMS, ("", "", False, False))
    if named and key not in card.link:
        card = replace(card, link={**card.link, key: model})
    if elsewhere and card.link.get(key, model) == model:
        card = replace(card, says=f"On {model}: {card.says}")
    return (
        f'<a data-card="" href="{escape(card.address)}"><img src="{picture}" alt="{alt}" loading="lazy">'
        f"<b>{escape(card.title)}</b><span>{escape(card.says)}</span></a>"
    )

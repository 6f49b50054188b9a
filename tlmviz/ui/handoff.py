"""Links by which a page hands its case on to another: the same texts, model, head and tokens, as fields of that page's
link."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from urllib.parse import urlencode

import streamlit as st

EXPLORER = "explorer"  # the page at the address without a path
_STYLE = """<style>
.onward { display: flex; flex-wrap: wrap; gap: 0.4rem; font-size: 0.9rem; }
.onward a { color: inherit; text-decoration: none; border: 1px solid rgba(128, 140, 155, 0.6); border-radius: 0.4rem;
  padding: 0.1rem 0.6rem; }
.onward a:is(:hover, :focus-visible) { border-color: #6db3f2; box-shadow: 0 0 0 1px #6db3f2; }
</style>"""


def address(path: str, home: str, query: Mapping[str, str | tuple[str, ...]]) -> str:
    """The link of a page by its path, from any page; the `home` page has none."""
    return ("./" if path == home else path) + "?" + urlencode(query, doseq=True)


@dataclass(frozen=True)
class Onward:
    """A link: its label, the path of the page that it leads to, and the fields that it sets there; all others are
    defaults."""

    label: str
    page: str
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where it leads, from any page."""
        return address(self.page, EXPLORER, self.fields)


def links(onward: Iterable[Onward]) -> None:
    """The links beside one another; the open session follows them, as it does a card."""
    anchors({each.label: each.address for each in onward})


def anchors(addresses: Mapping[str, str]) -> None:
    """Links by their labels, beside one another."""
    written = (f'<a data-card="step" href="{escape(to)}">{escape(label)} →</a>' for label, to in addresses.items())
    st.html(f'{_STYLE}<div class="onward">{"".join(written)}</div>')

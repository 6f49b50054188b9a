"""The examples of the page Long context: links to what stands out, and texts far longer than those of other pages."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.samples import long_sample_text
from tlmviz.ui import gallery, inputs, long_text
from tlmviz.ui.gallery import Card

from .maps.state import Tile
from .state import INDEXER, MASKS, Long

CARDS = (
    Card(
        "One back, 1,000 tokens too far",
        "Beyond the 1,024 tokens of its training the previous-token head still looks one back: “t” at “on”, 98%.",
        {},
        "Maps of all heads, of one head, and an exact tile with a bright diagonal",
    ),
    Card(
        "A window of 256 loses nothing",
        "It misses 23% of the attention over 1,024 tokens, and the loss even falls a little; hashing and Performer "
        "fail.",
        Long.link(view=MASKS, tokens=1024),
        "The pattern of a sliding window, and cost against loss of several methods",
    ),
    Card(
        "32 keys for nine tenths",
        "In layer 4 the trained indexer's 32 keys hold 89% of the attention; and yet the plain last 32 lose less.",
        Long.link(view=INDEXER, tokens=1024),
        "What the indexer scores, what the attention weighs, and which keys are chosen",
    ),
    Card(
        "Farther than training reached",
        "Some heads put a fifth of their weight farther back than any text of their training was long.",
        Tile.link(statistic="Beyond training"),
        "A map of the heads by how far they look back",
    ),
)

CHARACTERS = 6000  # about 1,700 tokens, beyond the training length of 1,024


def _repeats() -> str:
    pair = "The cat saw a bird. The dog saw a bird. "
    return (pair * (CHARACTERS // len(pair))).strip()


def _names() -> str:
    stories = long_sample_text()[:CHARACTERS].rpartition("\n\n")[0]
    return f"Zumi met Kavo at the big tree.\n\n{stories}\n\nZumi met Kavo again. Zumi waved and"


def _count() -> str:
    animals = ("cat", "dog", "bird", "frog", "bear")
    days = (f"On day {day}, Tom saw a {animals[day % len(animals)]}." for day in range(1, CHARACTERS // 25))
    return " ".join(days)


TEXTS = {  # label: what it shows, and the text
    "Repeats": ("One pair of sentences again and again: induction heads at any distance", _repeats),
    "Names": ("Two names, stories without them, and the names again: who looks back that far?", _names),
    "Counting days": ("One sentence with a number that grows beyond what training showed", _count),
}


def examples() -> None:
    """Cards, and long texts to start from."""
    gallery.menu(__file__, CARDS, _texts)


def _texts() -> None:
    st.caption("Texts to start from")
    with st.container(horizontal=True, gap="small"):
        for label, (shows, text) in TEXTS.items():
            st.button(label, key=f"example-{label}", help=shows, on_click=_use, args=(text,))


def _use(text) -> None:
    """Read an example; a text that the user wrote stays, and a sentence says so."""
    bundled = ("", *inputs.EXAMPLES.values(), *(make() for _, make in TEXTS.values()))
    if Long.own.get() in bundled:
        Long.own.set(text())
    else:
        st.toast("Your own text stays; empty its box to read an example.")
    Long.source.set(long_text.OWN)

"""The examples of the page KV cache: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .state import SIDE_BY_SIDE, Cache

CARDS = (
    Card(
        "One row in, one column on",
        "Each generated token adds a row to the map and a column to the cache; press ▶ and watch the buffer double.",
        {},
        "A map that fills row by row, with cached keys and values and bytes per layer",
    ),
    Card(
        "A ring that forgets",
        "A window of 64: the ring is full after 64 tokens, and each new one overwrites the oldest.",
        {"model": "zoo-window"},
        "A map whose lower left corner stays empty, and a cache that stops growing",
    ),
    Card(
        "An eighth of the cache",
        "One key/value head instead of eight: 512 bytes per token in place of 4,096, beside GQA, MLA and a window.",
        Cache.link(view=SIDE_BY_SIDE),
        "Bars of bytes per token for several models, and lines as the cache grows",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

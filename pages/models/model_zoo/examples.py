"""The examples of the page Model zoo: links to what stands out."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "How much is chance",
        "Three trainings that differ in their seed alone draw the band; only what lies far outside is called better or worse.",
        {},
        "Dots of quality of every choice beside a band of seed noise",
    ),
    Card(
        "No positions at all",
        "Without positions the model has only the mask to tell order: 1.414 bits per byte in place of 1.228.",
        {"card": "zoo-none"},
        "The curve of a training, from its card",
    ),
    Card(
        "An eighth of the cache",
        "Multi-query attention: 512 bytes per token in place of 4,096, for 0.017 bits per byte.",
        {"card": "zoo-mqa"},
        "The curve of a training, from its card",
    ),
)


def examples() -> None:
    """Cards: this page reads no text."""
    gallery.menu(__file__, CARDS)

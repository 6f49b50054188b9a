"""The examples of the page Context extension: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "Four ways past the limit",
        "Behind the training length the unscaled loss climbs; NTK-aware scaling and YaRN hold it down without training.",
        {},
        "Lines of the loss along a text of three times the training length",
    ),
    Card(
        "The price of interpolating",
        "Position interpolation alone: without training it costs a nat per token, most of it where nothing was wrong.",
        {"xs": ("Position interpolation",), "xdiff": "true"},
        "The change of the loss against the unscaled model, high from the first token on",
    ),
    Card(
        "Four times as far",
        "The same schemes at 4 times the training length.",
        {"xscale": "4"},
        "Lines of the loss along a text of four times the training length",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

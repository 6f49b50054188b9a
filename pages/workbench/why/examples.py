"""The examples of the page Why it looks there."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .state import HEADS, Why

CARDS = (
    Card(
        "Behind me stood “red”",
        "L5H0 looks from “red” to “ball”, 97%. The key owes most to L4H2, which read the token before: “red”.",
        {},
        "A square of numbers whose brightest cell is in the column of L4H2",
    ),
    Card(
        "Two steps back",
        "L4H2 followed: at “ball” it gives 88% of its attention to “red”. So the key knew what stood before it.",
        {"head": "5.0", "query": "25", "key": "17"} | Why.link(path=((4, 2, 17, 16),), at=1),
        "The path from “red” over L5H0 to “ball”, and from there over L4H2 to “red”",
    ),
    Card(
        "Who listens to whom",
        "L1H0 and L4H2 compose most through keys, 0.40: five times what unrelated matrices give.",
        Why.link(view=HEADS),
        "Writers by readers, with a bright row",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

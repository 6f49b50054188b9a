"""The examples of the page Text and image: links to pictures and questions that say something else each."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "What is left of the 7",
        "To answer, a head looks at the cell that the question means, and not at the 7 that it names.",
        {},
        "A picture of digits with orange over the cell left of the 7",
    ),
)


def examples() -> None:
    """Cards."""
    gallery.menu(__file__, CARDS)

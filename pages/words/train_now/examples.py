"""The examples of the page "Train it now": links to what stands out."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "Colours find each other",
        "Twenty seconds on short stories, and “blue” is among the nearest to “red”: nobody said that they are colours.",
        {},
        "Words in a plane, those nearest to red in orange, beside a falling loss",
    ),
    Card(
        "Once upon a time",
        "Words that always stand together end up together: “upon” is among the nearest to “once”.",
        {"wlnear": "once"},
        "Words in a plane, those nearest to once in orange",
    ),
    Card(
        "Start from chance",
        "A window of one word and nothing trained yet: the vectors lie as they were drawn. Press Train.",
        {"wlwin": "1"},
        "Words scattered evenly in a plane",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)

"""The examples of the page Pointer sentinel: links to texts that are copied from, or not."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "A name nobody ever saw",
        "Zorbina is in no story that it read: it copies her from where she was named.",
        {},
        "A text whose words are shaded by how much is copied, with arcs to earlier words",
    ),
    Card(
        "Known names are copied too",
        "Lily is in the vocabulary, and still copied: the twin without a pointer never finds her the most probable word again.",
        {
            "ptext": "Once upon a time there was a little girl named Lily. Lily loved her red ball. One day, Lily lost the ball. "
            '"I am sad," said Lily. A big dog named Tom came. Tom helped Lily find the ball.'
        },
        "A text whose names are shaded",
    ),
    Card(
        "Little left but copying",
        "The sentinel's score ten lower: four fifths of all that is predicted are now words that stand there already.",
        {"pshift": "-10.0"},
        "A text whose words are nearly all shaded, with wide arcs",
    ),
)


def examples() -> None:
    """Cards."""
    gallery.menu(__file__, CARDS)

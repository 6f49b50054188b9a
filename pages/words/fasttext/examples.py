"""The examples of the page FastText: links to words that show something."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "A typo finds its word",
        "“beautifull” is in no vocabulary, and the nearest word is “beautiful”: most n-grams are the same.",
        {},
        "Runs of letters under a misspelled word, and bars of its neighbours",
    ),
    Card(
        "A word of the vocabulary",
        "“beautiful” itself has one vector more than its n-grams: its own, in the first row.",
        {"ftw": "beautiful"},
        "Runs of letters under a word, the first as long as the word",
    ),
    Card(
        "Letters it never saw",
        "No n-gram of “слово” stands in a word of the vocabulary: the vector is made of rows trained for others.",
        {"ftw": "слово"},
        "Runs of Cyrillic letters, all in red frames",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)

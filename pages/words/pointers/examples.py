"""The examples of the page Pointers: points that the network meets differently, and texts that are copied from or
not."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .state import MOST, SENTINEL, Choice

KNOWN = (
    "Once upon a time there was a little girl named Lily. Lily loved her red ball. One day, Lily lost the ball. "
    '"I am sad," said Lily. A big dog named Tom came. Tom helped Lily find the ball.'
)
CARDS = (
    Card(
        "Corner by corner",
        "At each step attention over all points says where the line goes next, and at the end that it is closed.",
        {},
        "Points, the line drawn so far, and rays to where it could go",
    ),
    Card(
        "Far more than it was trained on",
        "200 points, four times the most it ever saw: the same weights still draw a valid polygon.",
        Choice.link(number=200, step=MOST + 1),
        "Two hundred points inside a line",
    ),
    Card(
        "No area at all",
        "Points on one line have a hull of two corners; the network, which never saw such points, visits others too.",
        Choice.link(kind="Line", number=8, step=MOST + 1),
        "Points on one line, some of them crossed out",
    ),
    Card(
        "A name nobody ever saw",
        "Zorbina is in no story that it read: it copies her from where she was named.",
        Choice.link(part=SENTINEL),
        "A text whose words are shaded by how much is copied, with arcs to earlier words",
    ),
    Card(
        "Known names are copied too",
        "Lily is in the vocabulary, and still copied: the twin without a pointer never finds her the most probable "
        "word again.",
        Choice.link(part=SENTINEL, text=KNOWN),
        "A text whose names are shaded",
    ),
    Card(
        "Little left but copying",
        "The sentinel's score ten lower: four fifths of all that is predicted are now words that stand there already.",
        Choice.link(part=SENTINEL, shift=-10.0),
        "A text whose words are nearly all shaded, with wide arcs",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)

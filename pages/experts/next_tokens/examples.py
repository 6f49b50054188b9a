"""The examples of the page Next tokens: links to texts that are predicted, or written, several tokens at a time."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .state import GIVEN, PARALLEL, SMALLER, WRITING, Ahead

CARDS = (
    Card(
        "Four tokens from one position",
        "The model predicts the next token, and three modules the ones after it, each from what the one before named.",
        {},
        "A text with a chosen token and four boxes of predictions in a row",
    ),
    Card(
        "Writing several tokens a pass",
        "The modules propose, one pass verifies: the text is the model's own, written in fewer passes than tokens.",
        Ahead.link(view=WRITING),
        "Columns of kept and dropped tokens, one for each pass",
    ),
    Card(
        "A smaller model proposes",
        "zoo-mqa writes ahead for stories-rope, which spells texts alike and verifies what it is told.",
        Ahead.link(view=WRITING, proposer=SMALLER),
        "Columns of kept and dropped tokens, several proposed at once",
    ),
    Card(
        "Told what lies between",
        "Reading the text's own tokens, as in training, the last module is right more often than on what it was told "
        "before.",
        Ahead.link(reads=GIVEN),
        "The same text and boxes, with most predictions right",
    ),
    Card(
        "Heads side by side",
        "Three heads on one vector in the modules' place: none has read the tokens between, and fewer of their "
        "proposals stay.",
        Ahead.link(model=PARALLEL),
        "A text with a chosen token and four boxes that all hang on it",
    ),
)


def examples() -> None:
    """Cards."""
    gallery.menu(__file__, CARDS)

"""The examples of the page Alignment & coverage: links to what stands out, and sentences to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, translation
from tlmviz.ui.gallery import Card

from .ribbons.state import Ribbons
from .state import BY_HAND, COPIED, SCORES, TWINS, Alignment

CARDS = (
    Card(
        "The colour waits its turn",
        "The ribbons of “manteau” and “rouge” cross: French puts the colour after the coat.",
        {},
        "An English and a French sentence with ribbons between their words, two of which cross",
    ),
    Card(
        "A translator that stutters",
        "“au-de-de-de-de …”: 48 repeated trigrams without a coverage vector, 7 with one.",
        Alignment.link(view=TWINS),
        "Two attention maps: without coverage the rows end in one column, with coverage they move on",
    ),
    Card(
        "Look at the full stop, and it ends",
        "Step 5, “dans”, is forced to look at “.”: the sentence is over at “J'ai froid.”",
        Ribbons.link(pins=((4, 7),)),
        "Ribbons between the sentences; the French one ends after one word was pinned to the full stop",
    ),
    Card(
        "A name that it never saw",
        "“Quizzbeck” is copied piece by piece: the gate falls to 0.01. Without a pointer the name is lost.",
        Alignment.link(view=COPIED),
        "Bars of each written token's probability: those of the name come from the pointer, all others from the "
        "vocabulary",
    ),
    Card(
        "A word nobody looked at",
        "A map of your own: a source word without attention costs the translation β log floor.",
        Alignment.link(view=BY_HAND),
        "A small attention map made by hand with its coverage and penalty",
    ),
    Card(
        "Two of four never look at “red”",
        "All read “J'ai froid dans mon manteau rouge.”: no row of dot or general peaks at “red”, one of the others "
        "does.",
        Alignment.link(view=SCORES),
        "Four attention maps of one translation, side by side",
    ),
)


def examples() -> None:
    """Cards, and sentences to start from."""
    gallery.menu(__file__, CARDS, translation.example_sentences)

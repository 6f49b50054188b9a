"""The examples of the page Alignment & coverage: links to what stands out, and sentences to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, translation
from tlmviz.ui.gallery import Card

CAT = "The black cat is sleeping on the red chair."
GOOD = "He is a good man, a good father, a good friend and a good neighbour."
COVERAGE = "With and without coverage"
CARDS = (
    Card(
        "The colour waits its turn",
        "The ribbons of “manteau” and “rouge” cross: French puts the colour behind the coat.",
        {},
        "An English and a French sentence with ribbons between their words, two of which cross",
    ),
    Card(
        "A translator that stutters",
        "“au-de-de-de-de …”: 48 repeated trigrams without a coverage vector, 7 with one.",
        {"aview": COVERAGE},
        "Two attention maps: without coverage the rows end in one column, with coverage they move on",
    ),
    Card(
        "A good friend and a good friend and",
        "Eight times “et un bon ami”, because nothing tells the decoder where it has been; its twin stops.",
        {"aview": COVERAGE, "arep": GOOD},
        "Two attention maps of the same sentence, one of which repeats its last rows",
    ),
    Card(
        "Look at the full stop, and it ends",
        "Step 5, “dans”, is forced to look at “.”: the sentence is over at “J'ai froid.”",
        {"arib": "5-8"},
        "Ribbons between the sentences; the French one ends after one word was pinned to the full stop",
    ),
    Card(
        "The cat turns red",
        "The step that wrote “noir” must look at “red”: “Le chat rouge est en train de dormir …”",
        {"english": CAT, "arib": "3-8"},
        "Ribbons between the sentences, the third French word pinned to the word red",
    ),
    Card(
        "A word nobody looked at",
        "A map of your own: a source word without attention costs the translation β log floor.",
        {"aview": "Matrix by hand"},
        "A small attention map made by hand with its coverage and penalty",
    ),
)


def examples() -> None:
    """Cards, and sentences to start from."""
    gallery.menu(__file__, CARDS, translation.example_sentences)

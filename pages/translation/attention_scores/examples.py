"""The examples of the page Attention scores: links to what stands out, and sentences to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, translation
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "Two of four never look at “red”",
        "All read “J'ai froid dans mon manteau rouge.”: no row of dot or general peaks at “red”, one of the others does.",
        {},
        "Four attention maps of one translation, side by side",
    ),
    Card(
        "Left to themselves, two lose the colour",
        "Dot and general translate the red coat as “mon manteau”; additive scores, with and without coverage, keep “rouge”.",
        {"asone": "Each its own"},
        "Four attention maps of four translations of one sentence",
    ),
    Card(
        "Sharp dots, soft sums",
        "Dot and general scores have under 0.01 bits of entropy here: nearly one word a step. Additive ones spread: 1.1 bits.",
        {"asin": "eng-fra-additive"},
        "Bars of scores and weights of one step, and the context vector as a mixture",
    ),
    Card(
        "Read a wrong translation",
        "Told to read “Le président mange la lune.”, all four models lose over 6 nats a token.",
        {"edfr": "Le président mange la lune."},
        "Four attention maps of a French sentence that translates something else",
    ),
)


def examples() -> None:
    """Cards, and sentences to start from."""
    gallery.menu(__file__, CARDS, translation.example_sentences)

"""The examples of the page "One step of training": links to what stands out."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "The arrow of one pair",
        "“girl” stood beside “little”: the step leads from what was expected to what was there.",
        {},
        "A plane of words as discs, with an arrow from their centre to the word girl",
    ),
    Card(
        "A step too long",
        "“king” beside “girl”: at a rate of 10, with v alone, the loss after the step is higher than before.",
        {"wcenter": "girl", "wcontext": "king", "wrate": "10", "wmove": "v"},
        "A curve of the loss against the rate that falls and rises again",
    ),
    Card(
        "Throw the die",
        "Five words are drawn to be pushed away; frequent ones more often, but less so than in the text.",
        {"wpart": "Negative sampling"},
        "Two lines cut into words with five marks on them, and pull and push as arrows",
    ),
    Card(
        "A mean of ten words",
        "The average of the words around is one vector, and it predicts the word in the middle.",
        {"wpart": "CBOW"},
        "Green dots of ten words with their mean as an arrow",
    ),
    Card(
        "A probability is a path",
        "Turn by turn down the Huffman tree: the product is the word's probability, and all leaves sum to 1.",
        {"wpart": "Tree"},
        "A tree of nodes as wide as their probability with one path in orange",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)

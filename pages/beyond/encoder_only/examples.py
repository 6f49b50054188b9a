"""The examples of the page Encoder-only."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "The reason stands at the right",
        "Hide a word: what follows it says what it was, and a causal mask takes that away.",
        {},
        "A text with one word hidden, and two lists of bars",
    ),
    Card(
        "What [CLS] gathers",
        "Two texts shaded by what [CLS] reads of them, and its verdict.",
        {"epart": "What [CLS] reads"},
        "Two lines of text, shaded, beside tiles of all heads",
    ),
    Card(
        "The mask put on",
        "The same head with and without a causal mask, and what each hidden token then costs.",
        {"epart": "With a causal mask"},
        "A full map beside a triangular one",
    ),
    Card(
        "Encoder, decoder, both",
        "One sentence in three models: where each may look.",
        {"epart": "Three kinds of models"},
        "Five maps",
    ),
)


def examples() -> None:
    """Cards."""
    gallery.menu(__file__, CARDS)

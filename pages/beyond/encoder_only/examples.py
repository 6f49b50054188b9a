"""The examples of the page Encoder-only."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .state import HIDDEN, KINDS, MASKS, Choice

CARDS = (
    Card(
        "What [CLS] gathers",
        "Two texts shaded by what [CLS] reads of them: a token without meaning says that two words stand exchanged.",
        {},
        "Two lines of text, shaded, beside tiles of all heads",
    ),
    Card(
        "The reason stands at the right",
        "After “The” alone the model gives “little” 2%; reading what stands at the right as well, 95%. Hide any other "
        "word.",
        Choice.link(part=HIDDEN),
        "A text with one word hidden, and two lists of bars",
    ),
    Card(
        "The mask put on",
        "The same head with and without a causal mask, and what each hidden token then costs.",
        Choice.link(part=MASKS),
        "A full map beside a triangular one",
    ),
    Card(
        "Encoder, decoder, both",
        "One sentence in three models: where each may look.",
        Choice.link(part=KINDS),
        "Five maps of one sentence, two of them triangular",
    ),
)


def examples() -> None:
    """Cards."""
    gallery.menu(__file__, CARDS)

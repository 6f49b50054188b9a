"""The examples of the page Encoder-only."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .state import CLS, KINDS, MASKS, Choice

CARDS = (
    Card(
        "The reason stands at the right",
        "After “The” come a boy, a dog, a bird; reading the right as well, “little” is 93% sure. Hide any other word.",
        {},
        "A text with one word hidden, and two lists of bars",
    ),
    Card(
        "What [CLS] gathers",
        "Two texts shaded by what [CLS] reads of them: it tells which comes first, and failed to learn what it was asked.",
        Choice.link(part=CLS),
        "Two lines of text, shaded, beside tiles of all heads",
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

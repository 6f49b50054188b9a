"""The examples of the page FlashAttention: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .costs.state import Costs
from .one_row.state import Row
from .state import COSTS, ONE_ROW, Part

CARDS = (
    Card(
        "Tiles never loaded",
        "Of 16 tiles of 8 × 8, 6 lie behind the mask: the kernel's own loop skips them.",
        {},
        "A map cut into tiles, visited one after the other, with the kernel's lines",
    ),
    Card(
        "A maximum that grows nine times",
        "In this row of a real head the running maximum rises nine times: each time the sums so far are rescaled.",
        Part.link(part=ONE_ROW),
        "Bars of logits with a staircase of the running maximum, five algorithms side by side",
    ),
    Card(
        "The naive sum breaks",
        "One logit of 1e4: exp overflows and the naive softmax is NaN. Every online one is exact.",
        Part.link(part=ONE_ROW) | Row.link(logits="1, 2, 3, 4, 1e4"),
        "Five algorithms on five logits, the first with infinite sums",
    ),
    Card(
        "Every logit a new record",
        "1 to 8 in order: the worst case, rescaled at every step, and still exact.",
        Part.link(part=ONE_ROW) | Row.link(logits="1, 2, 3, 4, 5, 6, 7, 8"),
        "A staircase of eight steps",
    ),
    Card(
        "138 GB or 17 GB",
        "At 131,072 tokens one head moves 138 GB naively and 17.2 GB in tiles.",
        Part.link(part=COSTS) | Costs.link(length=131072),
        "Bars of bytes and operations, and a roofline",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

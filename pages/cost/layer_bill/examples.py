"""The examples of the page One layer's bill: layers, and views, that show where the cost is."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .state import FFN, GROWTH, HAND, PARAMETERS, Bill

LLAMA = Bill.link(n=8192, d=4096, h=32, g=8, f=14336, gated=True, head=128)
CARDS = (
    Card(
        "Twelve heads for the price of one",
        "GPT-2 small at 1,024 tokens: 12 heads or 1, the same products. Beyond 1,536 tokens n² is the larger part of "
        "attention.",
        {},
        "Pairs of bars that end together, and two lines that cross",
    ),
    Card(
        "Four gigabytes a layer",
        "Llama 3 8B at 8,192 tokens: one layer's maps would take 4.3 GB, ten times its weights. So nobody writes them "
        "down.",
        LLAMA,
        "A bar for maps far longer than the one for weights",
    ),
    Card(
        "Fill it in yourself",
        "4 tokens, 8 numbers each, 2 heads: a bill small enough for a pencil, checked cell by cell.",
        Bill.link(part=HAND),
        "A table of boxes to fill in",
    ),
    Card(
        "One and two and so on to N",
        "A hundred tokens read after a prompt of 16: the cache leaves 6,650 of 525,550 pairs of query and key.",
        Bill.link(part=GROWTH),
        "A steep area above a thin one",
    ),
    Card(
        "Where the parameters are",
        "The feed-forward parts of stories-rope hold 56% of its parameters; in Llama 3.1 405B they hold 81%.",
        Bill.link(part=PARAMETERS),
        "Nested areas, the largest of them green",
    ),
    Card(
        "Without the first one, nothing",
        "One feed-forward part left out: the first layer's makes this text four times as costly, a middle one's hardly "
        "matters.",
        Bill.link(part=FFN),
        "Bars of losses, the first far above all others",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

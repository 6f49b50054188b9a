"""The examples of the page Attention family: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "From MHA to MLA",
        "Press ▶: keys and values merge into groups, into one, into a latent; cache, parameters and FLOPs beside it.",
        {},
        "Heads as blocks over fewer and fewer key/value blocks, with bars of their price",
    ),
    Card(
        "Heads nobody misses",
        "Muting some heads lowers the loss on this text; which pairs are alike, and what merging them costs.",
        {"fview": "Redundancy"},
        "A map of how alike heads are, and bars of the loss with each head muted",
    ),
    Card(
        "DeepSeek's trade",
        "576 numbers per token and layer in place of 32,768, for 128 heads.",
        {"fset": "DeepSeek"},
        "Blocks of 128 heads over one latent, with bars of their price",
    ),
    Card(
        "Who reads the same keys",
        "Every trained model of the zoo on your text: heads under one colour share keys and values.",
        {"fview": "Trained maps"},
        "Rows of small attention maps, one row for each model",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

"""The examples of the page Position schemes: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "Beyond what training showed",
        "Trained on 256 tokens, read on 1,024: RoPE's loss climbs above 4 nats, ALiBi's and relative vectors' stay near 2.",
        {},
        "Lines of the loss along a text, fanning out behind the training length",
    ),
    Card(
        "What each adds",
        "Two schemes add a vector to the embedding; three act where queries meet keys; one adds nothing.",
        {"pview": "What is added"},
        "Six heat maps of what each scheme adds",
    ),
    Card(
        "Stripes or a blur",
        "RoPE and sinusoids look the same along every diagonal: distances. Learned vectors only tell early from late.",
        {"pview": "Position similarity"},
        "Six maps of how alike positions are",
    ),
    Card(
        "Eight heads, eight reaches",
        "ALiBi's slopes give each head a reach: from 2 tokens back on average to over 50.",
        {"pview": "Attention by distance"},
        "Weight by distance, six schemes side by side",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

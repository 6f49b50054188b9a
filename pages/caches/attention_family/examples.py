"""The examples of the page Attention family: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .calculator.state import Deployment
from .collapse.state import Lemma
from .state import CALCULATOR, COLLAPSE, MAPS, REDUNDANCY, ZOO, Family

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
        Family.link(view=REDUNDANCY),
        "A map of how alike heads are, and bars of the loss with each head muted",
    ),
    Card(
        "Positions tell them apart",
        "All heads have one W_Q W_K', with RoPE between the two: a single head misses 59% of what they write.",
        Family.link(view=COLLAPSE) | Lemma.link(on=("rope",)),
        "Rows of maps that differ from head to head",
    ),
    Card(
        "Who reads the same keys",
        "Every trained model of the zoo on your text: heads under one colour share keys and values.",
        Family.link(view=MAPS),
        "Rows of small attention maps, one row for each model",
    ),
    Card(
        "A million tokens",
        "One request of a million tokens needs 328 GB of cache, more than twice the weights.",
        Family.link(view=CALCULATOR) | Deployment.link(length=1_000_000),
        "Memory divided into weights and a much larger cache",
    ),
    Card(
        "An eighth of the cache",
        "Multi-query attention: 512 bytes per token in place of 4,096, for 0.017 bits per byte, which may be chance.",
        Family.link(view=ZOO),
        "Dots of quality of every choice beside a band of seed noise, and quality against the cache",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

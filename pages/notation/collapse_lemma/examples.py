"""The examples of the page Collapse lemma."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "When heads become one",
        "Given one W_Q W_K' and no positions, all six heads of a layer draw the same map.",
        {},
        "Two rows of maps, the second with one map in every column, and a white row",
    ),
    Card(
        "Positions tell them apart",
        "RoPE between the factors of the same matrix: one head misses 45 % of the layer's output.",
        {"clon": "rope"},
        "Rows of maps that differ from head to head",
    ),
    Card(
        "A norm is enough",
        "No positions, one matrix, but queries and keys normed: maps differ by up to 0.11, and a tenth of the output is missed.",
        {"clon": "norm"},
        "Rows of maps that nearly agree, and a row of small differences",
    ),
    Card(
        "Equal factors, unequal slopes",
        "ALiBi alone: every number of W_Q and W_K is the same in all heads, and their maps are not.",
        {"clon": "alibi,same"},
        "A row of maps whose weight draws nearer to the diagonal",
    ),
    Card(
        "The mean of softmaxes",
        "Six heads that hand on the same: without a softmax they are one head, with it a fifth of the output is missed.",
        {"clpart": "U", "clon": "softmax"},
        "Six maps, their mean, the map of the mean, and a difference",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

"""The examples of the page "From text to pairs": links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .controls import BY_DISTANCE, EXAMPLES, example_texts

CARDS = (
    Card(
        "They never meet, and are alike",
        "“cat” and “dog” are never in one window, yet the same words stand around both: their rows agree by a cosine of 0.97.",
        {},
        "A text with a window in it, and a matrix of counts in which two rows look the same",
    ),
    Card(
        "The lecture's sentence",
        "“the cat sit on the mat” with one word on each side: the notes take eight pairs, the ends of the text give two more.",
        {"wtext": EXAMPLES["The lecture's sentence"], "wm": "1"},
        "Six words and a band of counts beside the diagonal",
    ),
    Card(
        "Half of the small words are gone",
        "At t = 0.001 “the” stays 15 times in 100. What is left stands closer together, and windows reach further.",
        {"wthrow": "0.001"},
        "A text with words struck through",
    ),
    Card(
        "Near words count more",
        "GloVe counts a meeting as 1 divided by the distance: with five words on each side the neighbour still weighs most.",
        {"wm": "5", "wcount": BY_DISTANCE},
        "A wide window whose arcs count less the further they reach",
    ),
    Card(
        "A word nobody knows",
        "No model knows “zumi”, but its row of counts equals that of “cat”. FastText makes it a vector too, from its letters.",
        {"wtext": EXAMPLES["A word nobody knows"], "wm": "1", "wvm": "words-fasttext"},
        "A matrix of counts with a row for an invented word",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, example_texts)

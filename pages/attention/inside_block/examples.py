"""The examples of the page Inside a block: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "What followed last time",
        "At the second “red”, L5H0 gives “ball” 97% of its weight: it came after the first “red”.",
        {},
        "A triangular map of weights with the row of the second red framed",
    ),
    Card(
        "A head that looks one back",
        "L4H2 of the story model gives the token before 74% of its weight on average, whatever that is.",
        {"head": "4.2"},
        "A triangular map of weights, bright along the diagonal just below the main one",
    ),
    Card(
        "It has seen this before",
        "After “The dog saw a”, L5H0 looks at the three birds, and “bird” is the likeliest next token.",
        {"text": inputs.EXAMPLES["Repeats"], "head": "5.0", "query": "22"},
        "A map of weights whose last row is bright at three earlier words",
    ),
    Card(
        "Nobody expected the loss",
        "“lost” in “One day, Lily lost” costs 8.7 nats, more than any other token: stories lose nothing so early.",
        {"step": "loss"},
        "Bars of the loss of each token, one far above the others",
    ),
    Card(
        "The future, before it is hidden",
        "Scores exist for every pair of tokens; the mask comes after, and the softmax never sees what it hid.",
        {"step": "mask"},
        "Two square maps of scores, the second with its upper half taken away",
    ),
    Card(
        "Red after coat",
        "In a decoder that translates, one head gives “red” 97% of its weight after “manteau”: “rouge” is written "
        "next.",
        {"model": "eng-fra"},
        "A map of weights between French and English words, dark where the order of two words is crossed",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

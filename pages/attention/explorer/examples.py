"""The examples of the page Attention explorer: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .state import FLOW, Explorer

CARDS = (
    Card(
        "What followed last time",
        "At the second “red”, L5H0 gives “ball” 97% of its weight: it came after the first “red”.",
        {},
        "Small maps of all heads, and a large map whose row of the second red is bright at the word ball",
    ),
    Card(
        "A name made up a moment ago",
        "After “Then Zumi and”, L5H0 finds the “K” of “Kavo”, and “K” is the likeliest next token.",
        {"text": inputs.EXAMPLES["Names"], "head": "5.0", "query": "29", "key": "19", "mode": "arcs"},
        "A text with an arc from its last word back to the first letter of a name",
    ),
    Card(
        "Who said “bird”?",
        "L5H0 adds 2.8 to the logit of “bird”, 8.5, more than any other head or MLP.",
        {"text": inputs.EXAMPLES["Repeats"], "head": "5.0", "word": "579"},
        "Small maps of all heads, each with a bar of what it adds to the predicted word",
    ),
    Card(
        "She is Lily",
        "At the last full stop, L5H3 looks at “Lily”, and of all heads it adds most to “She”.",
        {"head": "5.3", "query": "27", "key": "22", "word": "312"},
        "A large map whose last row is bright at the name Lily, and bars of what each head adds",
    ),
    Card(
        "The way of a word",
        "Below the maps: L5H0 carries 33% of the prediction “ball” from the first “ball” to the second “red”.",
        Explorer.link(panel=FLOW),
        "A graph of tokens and layers with one thick edge to the last column",
    ),
    Card(
        "One token back",
        "L4H2 gives the token before 74% of its weight on average, whatever that is: more than any other head.",
        {"head": "4.2", "order": "previous"},
        "A large map with a bright line just below the diagonal; the small maps begin with the same head",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

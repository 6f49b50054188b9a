"""The examples of the page Rank-1 pictures."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "Four tokens make most of it",
        "Of 28 terms, one for each token, the four largest leave 13 % of what this head hands on.",
        {},
        "A matrix, a sum that nearly equals it, one term, and the little that is left",
    ),
    Card(
        "None comes nearer",
        "Four singular terms leave 3 % of the same matrix, a quarter of what the tokens' leave. No four others do better.",
        {"r1way": "singular"},
        "The same matrix with less left, and a curve that falls fastest",
    ),
    Card(
        "As wide as the stream, rank 32",
        "W_V W_O has 192 × 192 numbers, rank 32: 12 singular terms leave 11 % of it, the 12 largest columns 92 %.",
        {"r1src": "W_V W_O", "r1way": "singular", "r1k": "12"},
        "A square matrix and a sum of 12 terms that looks like it",
    ),
    Card(
        "Row by row",
        "W_O by rows: one term is one dimension of the head, all that it can write. None is twice as large as another.",
        {"r1src": "W_O", "r1way": "rows", "r1k": "8"},
        "A wide matrix of which some rows are filled",
    ),
    Card(
        "A cross is two terms",
        "25 numbers, two outer products: the first is the whole cross, blurred; the second puts it right.",
        {"r1src": "My own", "r1way": "singular", "r1k": "1"},
        "A cross of five by five and its first term",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

"""The examples of the page RoPE planes: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .state import BOTH, HEADS, LAYOUTS, STEPS, Choice

CARDS = (
    Card(
        "Tuned to one back",
        "Move the query away from its key: nowhere is the score of this previous-token head as high as one token back.",
        {},
        "Clocks with two hands each, bars of their products, and the score by position",
    ),
    Card(
        "Move both, and nothing happens",
        "Query and key move together: all hands turn, and every bar and the score stand still.",
        Choice.link(moves=BOTH),
        "Clocks with two hands each and a score that is a flat line",
    ),
    Card(
        "The wrong layout raises no error",
        "Read half-split in place of interleaved, the model goes on writing: it only loses 0.17 nats per token.",
        Choice.link(part=LAYOUTS),
        "Arcs between dimensions that turn together, and the loss of each token with either layout",
    ),
    Card(
        "Blind to positions",
        "Without RoPE in every layer the loss on this text rises from 1.59 to 1.73 nats per token.",
        Choice.link(part=HEADS, everywhere=True),
        "Which planes every head uses, and mean score by distance with and without RoPE",
    ),
    Card(
        "A rotation is a matrix",
        "One row of queries, cosine and sine, and what comes out, step by step.",
        Choice.link(part=STEPS),
        "The steps of a rotation as small heat maps",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

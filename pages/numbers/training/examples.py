"""The examples of the page Training: steps and runs that go wrong, and what saves them."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .state import DROPOUT, DYNAMIC, FLOAT8, MASTER, WARMUP, Part

CARDS = (
    Card(
        "Four in five too small",
        "Of this step's gradients by activations, FP16 keeps one in five with all its bits. Drag S.",
        {},
        "A hill of sizes, most of it left of the smallest normal number",
    ),
    Card(
        "Ruined, and rescued",
        "In parts of a large batch nearly all gradients are 0 without a scale; with a dynamic one it learns as FP32 "
        "does.",
        Part.link(part=DYNAMIC),
        "One line of losses that rises away from all others",
    ),
    Card(
        "A step in eight bits",
        "Sixteen steps in eight bits: scaled by past steps they go where FP32's do; unscaled, a fifth of the gradients "
        "vanishes.",
        Part.link(part=FLOAT8),
        "The largest number of a tensor under a line, beside two curves of losses",
    ),
    Card(
        "Weights that stand still",
        "Two hundred updates of 0.0001 leave 0.1 as it is in BF16; a model that learns French hardly moves.",
        Part.link(part=MASTER),
        "A flat line below others that rise",
    ),
    Card(
        "Saved by a warm-up",
        "Norm after the sublayers, at a rate of 0.001: with a warm-up it learns; without one its loss stays above 6.",
        Part.link(part=WARMUP),
        "Four falling lines of losses, one of which stops falling",
    ),
    Card(
        "What masks cost",
        "A text's loss under 64 masks: in the mean worse than without, and what all of them predict together is as "
        "good.",
        Part.link(part=DROPOUT),
        "Bars of losses with three lines",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

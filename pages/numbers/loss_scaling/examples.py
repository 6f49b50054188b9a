"""The examples of the page Loss scaling: steps and runs that a scale saves, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .controls import DYNAMIC, MASTER

CARDS = (
    Card(
        "Four in five too small",
        "Of this step's gradients by activations, FP16 keeps one in five with all its bits. Drag S.",
        {},
        "A hill of sizes, most of it left of the smallest normal number",
    ),
    Card(
        "Lifted by 2¹⁶",
        "The same gradients times 65,536: less than one in a thousand is lost, and none is too large.",
        {"lsk": "16"},
        "The same hill within the range of FP16",
    ),
    Card(
        "Ruined, and rescued",
        "In parts of a large batch nearly all gradients are 0 without a scale; with a dynamic one it learns as FP32 does.",
        {"lsview": DYNAMIC},
        "One line of losses that rises away from all others",
    ),
    Card(
        "Weights that stand still",
        "Two hundred updates of 0.0001 leave 0.1 as it is in BF16; a model that learns French hardly moves.",
        {"lsview": MASTER},
        "A flat line below others that rise",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

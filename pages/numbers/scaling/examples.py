"""The examples of the page Scaling: products and passes in which scales decide."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .controls import MODEL, SAID

ONE = SAID["tensor"]
CARDS = (
    Card(
        "One loud channel",
        "Layer 2's down reads a channel 48 times as loud as the median one. One scale leaves X 19 dB, one per 32 numbers 39.",
        {},
        "A map of X, and two clouds of dots: the lower one falls to the left",
    ),
    Card(
        "Four bits, one scale",
        "INT4 with one scale for all of X rounds 99.5% of it to 0: only the loud are left.",
        {"scf": "INT4", "scper": ONE},
        "Dots that lie at 0 dB but for the loudest",
    ),
    Card(
        "Floats mind less",
        "E4M3 with one scale leaves the median channel 32 dB above its error, INT8 11: its steps grow with the number.",
        {"scf": "E4M3", "scper": ONE},
        "A flat cloud of dots, and a curve with a wide top",
    ),
    Card(
        "Cut a few, gain 4 dB",
        "The weights in INT4: a scale that cuts the largest 0.7% makes the steps of all others finer.",
        {"scf": "INT4", "scsee": "w", "scs": "0.75"},
        "A histogram whose right end is cut, and a line on the top of a curve",
    ),
    Card(
        "Down is what breaks",
        "The whole model in INT4, one scale each: 0.10 bits per byte worse. With down left out, no worse on this text.",
        {
            "scview": MODEL,
            "scf": "INT4",
            "scper": ONE,
            "scparts": ("q", "k", "v", "o", "gate", "up", "head"),
        },
        "Bars along the text, and all matrices but one chosen",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

"""The examples of the page Pipeline: links to what stands out."""

from __future__ import annotations

from tlmviz.analysis.cost.pipeline import DUAL, GPIPE, ZERO
from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "Three of eleven wait",
        "1F1B with 4 stages and 8 micro-batches: 3 of every 11 moments are bubble, and no device holds more than 4.",
        {},
        "A staircase of coloured cells with empty corners at both ends",
    ),
    Card(
        "Same wait, twice the memory",
        "GPipe runs all forwards first: as long a wait, and all 8 micro-batches held at once.",
        {"plview": GPIPE},
        "All forwards, then all backwards, and memory that climbs to 8",
    ),
    Card(
        "Gaps filled with weights' gradients",
        "ZB-H1 puts off the gradients that nobody waits for: the bubble falls from 27% to 11%.",
        {"plview": ZERO},
        "A timeline whose last gaps are filled with cells of a third colour",
    ),
    Card(
        "From both ends",
        "DualPipe with 8 stages and 20 micro-batches leaves 9% to the bubble, where 1F1B leaves 26%.",
        {"plview": DUAL, "plp": "8", "plm": "20"},
        "Micro-batches that enter from the first and the last device and cross",
    ),
    Card(
        "Memory bought with time",
        "GPipe with recomputing: the peak falls from 8 to 1.4, and the step takes a third longer.",
        {"plview": GPIPE, "plre": "true"},
        "Memory that stays near 1 beneath a longer timeline",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)

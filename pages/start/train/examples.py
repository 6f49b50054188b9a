"""The examples of the page Train a transformer: links to runs worth watching."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .state import LEARNED, PIECES, Choice

CARDS = (
    Card(
        "A head comes into being",
        "Two layers learn to go on with what repeats: flat for hundreds of steps, then all at once.",
        {},
        "Eight attention maps, some with a line beside their diagonal, and curves that rise together",
    ),
    Card(
        "One layer is not enough",
        "The same beside a network of one layer, which cannot look for what came after.",
        Choice.link(beside="layer", rate=1e-2, guess=False),
        "Two runs side by side: the curves of one rise, those of the other stay low",
    ),
    Card(
        "Right for the wrong reason",
        "Without a mask the next letter is in sight: nearly all is right, and no induction head forms.",
        Choice.link(beside="mask", rate=1e-2, guess=False),
        "Two runs side by side, both right, with different maps",
    ),
    Card(
        "Backwards, with and without places",
        "One layer reverses eight digits within 100 steps; without positions it does not within 400.",
        Choice.link(
            task="reverse", layers=1, heads=2, width=32, positions=LEARNED, rate=1e-2, beside="positions", guess=False
        ),
        "A map with an antidiagonal beside one that is spread out",
    ),
    Card(
        "A rate too large",
        "At rate 0.1 the loss stays at that of guessing.",
        Choice.link(beside="rate", rate=1e-2, guess=False),
        "Two runs side by side: one learns, the maps of the other are saturated",
    ),
    Card(
        "By heart",
        "Within 150 steps a short text is known by heart; in text that was not shown a guess does better.",
        Choice.link(task=PIECES, heads=2, width=32, rate=1e-2),
        "Four maps over pieces of words, and a loss that falls and rises again",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)

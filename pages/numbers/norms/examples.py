"""The examples of the page Norms and dropout."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "Three times as loud, the same after",
        "One token × 3: LayerNorm and RMSNorm give what they gave before. BatchNorm does not.",
        {},
        "Two tables of coloured cells; a framed row, dark in the first, like its neighbours in the second",
    ),
    Card(
        "A sentence less, and all others change",
        "BatchNorm in training: a column shares its statistics through all sentences, so taking one away moves the rest.",
        {"nbnorm": "batch", "nbact": "away"},
        "One column framed, with bars of means and spreads over the columns",
    ),
    Card(
        "σ where σ² should be",
        "The notes' short form divides by the root of σ: the spread after is √σ, here more than 1.2 for every token.",
        {"nbslip": "1", "nbact": "nothing"},
        "Spreads that are not 1 beside the rows",
    ),
    Card(
        "Maps that share a mean",
        "BatchNorm behind a convolution: one mean and spread per filter, over all pixels of all eight digits.",
        {"noview": "Convolution", "npact": "nothing"},
        "Eight digits in four rows of maps, one row framed",
    ),
    Card(
        "Saved by a warm-up",
        "Norm after the sublayers, at a rate of 0.001: with a warm-up it learns; without one its loss stays above 6.",
        {"noview": "Depth"},
        "Four falling lines of losses, one of which stops falling",
    ),
    Card(
        "What masks cost",
        "A text's loss under 64 masks: in the mean worse than without, and what all of them predict together is as good.",
        {"noview": "Dropout"},
        "Bars of losses with three lines",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

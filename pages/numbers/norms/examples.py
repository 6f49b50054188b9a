"""The examples of the page Norms and dropout."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "One row, one σ",
        "LayerNorm on a batch of sentences: each token by its own mean and spread, whatever the other tokens do.",
        {},
        "Two tables of coloured cells, one row framed, a mean and a spread beside each row",
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
        {"nbslip": "1"},
        "Spreads that are not 1 beside the rows",
    ),
    Card(
        "Maps that share a mean",
        "BatchNorm behind a convolution: one mean and spread per filter, over all pixels of all eight digits.",
        {"noview": "Convolution"},
        "Eight digits in four rows of maps, one row framed",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

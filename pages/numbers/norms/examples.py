"""The examples of the page Norms: what norms forget, and how far sums spread."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .batch.state import AWAY, BATCH, Tokens
from .state import ISOTROPY, MAPS, SCORES, Part

CARDS = (
    Card(
        "Every token, one spread",
        "LayerNorm takes each token's own mean and spread: whatever they were before, after it each spread is 1.",
        {},
        "Two tables of coloured cells with numbers beside the rows; the second is even",
    ),
    Card(
        "Three times as loud, the same after",
        "One token × 3: LayerNorm and RMSNorm give what they gave before. BatchNorm does not.",
        Tokens.link(action="itemtimes"),
        "Two tables of coloured cells; a framed row, dark in the first, like its neighbours in the second",
    ),
    Card(
        "A sentence less, and all others change",
        "BatchNorm in training: a column shares its statistics through all sentences, so taking one away moves the "
        "rest.",
        Tokens.link(norm=BATCH, action=AWAY),
        "One column framed, with bars of means and spreads over the columns",
    ),
    Card(
        "Maps that share a mean",
        "BatchNorm after a convolution: one mean and spread per filter, over all pixels of all eight digits.",
        Part.link(part=MAPS),
        "Eight digits in four rows of maps, one row framed",
    ),
    Card(
        "Thirty-two that pull together",
        "Before training a sum of d products has d times the variance of one. After it, this head's has far more.",
        Part.link(part=SCORES),
        "A curve that rises above the dashed line of independent products",
    ),
    Card(
        "All words lean one way",
        "The embedding's vectors share a direction: mean cosine 0.19. Without their mean it is 0.",
        Part.link(part=ISOTROPY),
        "A cloud of tokens beside the cross, and one around it",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

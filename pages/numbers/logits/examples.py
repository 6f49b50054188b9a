"""The examples of the page Logits: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .controls import DIRECTIONS, HEAD

CARDS = (
    Card(
        "Thirty-two that pull together",
        "Before training a sum of d products has d times the variance of one. After it, this head's has far more.",
        {},
        "A curve that rises above the dashed line of independent products",
    ),
    Card(
        "The spread of 2,048 logits",
        "√E·σ·RMS predicts it before training to a few percent; the trained model spreads further.",
        {"lgview": HEAD},
        "Two pairs of lines along the text, one pair on top of each other",
    ),
    Card(
        "All words lean one way",
        "The embedding's vectors share a direction: mean cosine 0.19. Without their mean it is 0.",
        {"lgview": DIRECTIONS},
        "A cloud of tokens beside the cross, and one around it",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)

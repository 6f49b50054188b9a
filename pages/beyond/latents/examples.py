"""The examples of the page Latents."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .state import COST, TWO_MLAS, Latents

CARDS = (
    Card(
        "Eight readers of one digit",
        "Eight latents look for different parts of a 3; what they find tells the next layer where to look.",
        {},
        "Three rows of eight small maps over a handwritten digit",
    ),
    Card(
        "The square and the strip",
        "1,024 inputs among themselves: a million scores. Read by 64 latents: fewer by a factor of 15.",
        Latents.link(part=COST),
        "A large square beside a narrow strip and a small square",
    ),
    Card(
        "Two things called MLA",
        "A latent array has fewer rows, DeepSeek's multi-head latent attention narrower ones.",
        Latents.link(part=TWO_MLAS),
        "Two pairs of matrices: one becomes shorter, the other narrower",
    ),
)


def examples() -> None:
    """Cards."""
    gallery.menu(__file__, CARDS)

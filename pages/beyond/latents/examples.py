"""The examples of the page Latents."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .reading.state import Reading
from .state import COST, TWO_MLAS, Latents

CARDS = (
    Card(
        "Which latent reads which digit",
        "Eight latents and nine digits: most latents keep to a cell, and a cell's answer comes from its own reader.",
        {},
        "Three rows of eight small maps over a picture of nine handwritten digits",
    ),
    Card(
        "Too few readers",
        "Two latents read four of these nine digits right, eight all of them.",
        Reading.link(latents=2, picture=196),
        "Three rows of two small maps, and a picture in which most digits are read wrong",
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

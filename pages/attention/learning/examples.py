"""The examples of the page Learning: links to moments of the bundled training."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .state import Learning

CARDS = (
    Card(
        "A head is born",
        "Flat, and then within a few hundred steps a head looks at what followed last time.",
        {},
        "Maps of all heads at one step beside curves of which one rises steeply",
    ),
    Card(
        "Before anything was learnt",
        "At step 0 every head spreads its weight over all that it sees.",
        Learning.link(step=0),
        "Many attention maps, each the same even triangle",
    ),
    Card(
        "First one token back",
        "A head that looks one token back is there before the head that needs it.",
        Learning.link(statistic="previous"),
        "Curves of the weight on the token before, one of which rises",
    ),
    Card(
        "Sharper and sharper",
        "Entropy falls as heads decide where to look, and jumps where the texts change.",
        Learning.link(statistic="entropy", step=2200),
        "Curves of entropy that fall from the same height and jump at a dashed line",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)

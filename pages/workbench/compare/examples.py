"""The examples of the page Compare."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .state import MODELS, Compare

ZUMI = "Zumi met Kavo at the big tree. Zumi waved and Kavo smiled. Then Zumi and"
CARDS = (
    Card(
        "A ball becomes a hat",
        "One word exchanged: eight tokens later the guess “ball” falls from 91% to 4%. L2H0 moves most, to the hat.",
        {},
        "Small maps of 36 heads, of which a few are coloured, and one of them in detail",
    ),
    Card(
        "One word more",
        "“was not happy”: in L3H4 “happy” takes 0.96 of its weight off “was” and puts it on the new “not”.",
        Compare.link(a="Sara was happy because she got a gift.", b="Sara was not happy because she got a gift.", pin=3),
        "A map with one dark cell and a token without a partner",
    ),
    Card(
        "Who comes after and",
        "Zumi or Kavo named last: L2H2 moves 0.97 of its weight from one name to the other, and the guess turns round.",
        Compare.link(a=ZUMI, b=ZUMI.replace("Then Zumi", "Then Kavo")),
        "A map whose last rows changed sign",
    ),
    Card(
        "Trained apart",
        "stories-rope and stories-gpt, on the same text: every head differs.",
        Compare.link(view=MODELS),
        "36 small maps, all of them coloured",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)

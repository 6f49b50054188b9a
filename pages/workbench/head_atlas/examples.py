"""The examples of the page Head atlas."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .state import ONE, Atlas

CARDS = (
    Card(
        "The heads that repeat stand alone",
        "Four heads of layer 5 give 14 to 20% to what followed the same word before; no other head more than 8.1%.",
        {},
        "A cloud of dots at the left, four dots high above it, and one far to the right",
    ),
    Card(
        "Who looks one word back, early",
        "Below layer 4, two heads give a third or more to the previous token: L3H0 and L2H2.",
        Atlas.link(query="previous-token > 0.3 and layer < 4"),
        "Two lit dots among pale ones",
    ),
    Card(
        "The wider, the farther",
        "Entropy and distance go together, correlation 0.96: heads of layer 0 read everything, those of layer 4 what "
        "is near.",
        Atlas.link(x="entropy", y="distance"),
        "Dots along a rising line, coloured by layer",
    ),
    Card(
        "Where it repeats most",
        "L5H4 gives 20% to what came next last time; 47% in a story of a bunny and an alligator.",
        Atlas.link(view=ONE) | {"head": "5.4"},
        "One head among all others, its distances, and a story with shaded words",
    ),
    Card(
        "One word back, everywhere",
        "L4H2 gives 77% to the previous token, and 67% in the passage where it does so least.",
        Atlas.link(view=ONE) | {"head": "4.2"},
        "One head far to the right of all others",
    ),
    Card(
        "Induction heads leave the others",
        "At step 1,900 of its training L3H2 gives 61% to what followed last time; at step 0 no head gave more than "
        "1.4%.",
        Atlas.link(wanted="stories-induction@", step=1900),
        "Five dots above a crowd at the bottom, one far to the right",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)

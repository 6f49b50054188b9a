"""The examples of the page Pointer network: links to sets of points that it meets differently."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

CARDS = (
    Card(
        "Corner by corner",
        "At each step attention over all points says where the line goes next, and at the end that it is closed.",
        {},
        "Points, the line drawn so far, and rays to where it could go",
    ),
    Card(
        "Far more than it was trained on",
        "200 points, four times the most it ever saw: the same weights still draw a valid polygon.",
        {"hn": "200", "hstep": "1001"},
        "Two hundred points inside a line",
    ),
    Card(
        "Every point a corner",
        "Twelve points on a ring: the network visits all of them before it says that it is done.",
        {"hkind": "Ring", "hn": "12", "hseed": "7", "hstep": "8"},
        "Points on a ring, joined one after another",
    ),
    Card(
        "No area at all",
        "Points on one line have a hull of two corners; the network, which never saw such points, visits others too.",
        {"hkind": "Line", "hn": "8", "hstep": "1001"},
        "Points on one line, some of them crossed out",
    ),
)


def examples() -> None:
    """Cards."""
    gallery.menu(__file__, CARDS)

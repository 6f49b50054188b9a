"""Draws the page Formats: the number and its bits, and the table of all formats."""

from __future__ import annotations

from tlmviz.ui import below, frame

from . import controls, words
from .component import formats_view, payload
from .controls import Choice


def bits(choice: Choice) -> None:
    """The number in every format."""
    data = payload(format=choice.key, text=choice.text, origin=choice.origin, picture=below.next_picture())
    formats_view(data, key=controls.KEY, on_change=controls.keep)


def table() -> None:
    """Bits, ranges and steps of every format."""
    frame.table(words.rows(), {}, words.HELPS)

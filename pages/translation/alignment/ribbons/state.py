"""The state of the part Ribbons: steps that must look at one source token."""

from __future__ import annotations

from tlmviz.errors import BadText
from tlmviz.ui import link, state

from ..forced.pins import read_pins, write_pins

MOST = 999  # a step, or a token: what a link may name
ORIGIN = f"{link.SLOT}ribbon_origin"  # session: the text that the pins are set on, and the pins
Pins = tuple[tuple[int, int], ...]


def _pins(text: str) -> Pins:
    """Pins of a link, by step; raises ValueError. Whether the text has them is asked once it is known."""
    try:
        return tuple(sorted(read_pins(text, MOST, MOST).items()))
    except BadText as error:
        raise ValueError(text) from error


class Ribbons(state.State):
    """The pins, (step, source token) from 0, by step."""

    pins = state.live("arib", (), _pins, lambda pins: write_pins(dict(pins)), ends=(((2, 1),), ((0, 1), (2, 0))))

"""The question before the picture of the part One number: what a format makes of a number."""

from __future__ import annotations

import math

import streamlit as st

from tlmviz.figures import number
from tlmviz.ui import guess, link
from tlmviz.ui.language import _

from .bits.claims import spelled
from .bits.data import Data
from .bits.state import Bits

# In a session: what the picture told last, and what stood in the link or was set by a card, which alone asks anew.
_TOLD, _ASKED = f"{link.SLOT}formats_told", f"{link.SLOT}formats_asked"


def _told() -> None:
    st.session_state[_TOLD] = Bits.format.get(), Bits.number.get()


Bits.format.changed = Bits.number.changed = _told


def seen(data: Data) -> bool:
    """Whether the picture may be drawn; else the question is. What is typed or clicked in the picture asks nothing
    anew."""
    chosen = data.chosen.format, data.chosen.number
    if st.session_state.get(_TOLD) != chosen:
        st.session_state[_ASKED] = st.session_state[_TOLD] = chosen
    return guess.first("formats", st.session_state[_ASKED], lambda: question(data))


def question(data: Data) -> guess.Question | None:
    """The format's number for what is typed, beside that itself and the format's next; None for what is no finite
    number."""
    if not (math.isfinite(data.x) and math.isfinite(data.mine)):
        return None
    asks = _(
        "{name} has {bits} bits. Which number does it keep of {x}?",
        name=data.format.name,
        bits=data.format.bits,
        x=written(data.x),
    )
    others = [other for other in (data.x, *data.next_to) if math.isfinite(other)]
    return guess.question(asks, data.mine, others, _says(data), show=written)


def _says(data: Data) -> str:
    """What the format keeps, and how far off that is."""
    name, kept = data.format.name, written(data.mine)
    if data.mine == data.x:
        return _("{name} keeps **{kept}** exactly.", name=name, kept=kept)
    off = spelled(100 * abs(data.mine / data.x - 1), 2)
    return _("{name} keeps **{kept}** of {x}, {off}% off.", name=name, kept=kept, x=written(data.x), off=off)


def written(value: float) -> str:
    """A number with all the digits that tell it from its neighbours."""
    return number(value, ".15g")

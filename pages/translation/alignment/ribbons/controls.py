"""The controls of the view "Ribbons": a hypothesis, and the picture itself, in which steps are pinned to source tokens."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import streamlit as st

from tlmviz.decoding.penalties import Penalties
from tlmviz.errors import BadText
from tlmviz.ui import link, translation

from ..forced.pins import read_pins, write_pins
from ..hypothesis import controls as hypothesis

KEY = "ribbonview"
MOST = 999  # a step, or a token: what a link may name
_SEQUENCE = f"{link.SLOT}ribbon_sequence"  # session: number of the picture's last message
_ORIGIN = f"{link.SLOT}ribbon_origin"  # session: the text that the pins are set on


def _pins(text: str) -> tuple[tuple[int, int], ...]:
    """Pins of a link, by step; raises ValueError. Whether the text has them is asked once it is known."""
    try:
        return tuple(sorted(read_pins(text, MOST, MOST).items()))
    except BadText as error:
        raise ValueError(text) from error


PINS = link.Field("arib", (), _pins, lambda pins: write_pins(dict(pins)))


@dataclass(frozen=True)
class Choice:
    """A hypothesis and the pins on it, (step, source token) from 0, by step."""

    hypothesis: hypothesis.Choice
    pins: tuple[tuple[int, int], ...]

    @property
    def origin(self) -> str:
        """A name of the text that the pins are set on."""
        return _origin(self.hypothesis)

    @property
    def sequence(self) -> int:
        """Number of the last message of the picture."""
        return st.session_state.get(_SEQUENCE, 0)


def choose(model: str, text: str) -> Choice:
    """Draw the menus, and read the pins of the picture or at first of the link. Raises BadSearch."""
    ranks, maps = st.columns([0.7, 0.3], vertical_alignment="bottom")
    align = hypothesis.map_menu(translation.model(model), maps)
    base = hypothesis.rank_menu(hypothesis.Choice(model, text, 5, Penalties(), align), ranks)
    origin = _origin(base)
    if st.session_state.setdefault(_ORIGIN, origin) != origin:  # pins say nothing of another text
        st.session_state[_ORIGIN] = origin
        PINS.keep(())
    steps, size = len(base.candidate.tokens), len(base.source)
    pins = tuple((step, token) for step, token in PINS.get() if token < size)
    if pins and pins[0][0] >= steps:
        pins = ()
    PINS.keep(pins)
    PINS.share()
    return Choice(base, pins)


def pins_on(base: hypothesis.Choice) -> tuple[tuple[int, int], ...]:
    """The pins that were set in this view, if they were set on this very hypothesis."""
    return PINS.get() if st.session_state.get(_ORIGIN) == _origin(base) else ()


def keep_pins() -> None:
    """Callback of the picture: a step was pinned, or pins were taken back."""
    message = (st.session_state.get(KEY) or {}).get("pins")
    if not message or message["origin"] != st.session_state.get(_ORIGIN):
        return
    st.session_state[_SEQUENCE] = int(message["seq"])
    PINS.keep(tuple((int(step), int(token)) for step, token in message["pins"]))


def _origin(base: hypothesis.Choice) -> str:
    return sha256(repr((base.model, base.text, base.candidate.tokens)).encode()).hexdigest()[:16]

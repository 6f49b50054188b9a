"""The controls of the view "Force attention": pins on a hypothesis, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.errors import BadText
from tlmviz.ui import frame, link

from ..hypothesis import controls as hypothesis
from ..ribbons import controls as ribbons
from . import suggestion, words
from .pins import read_pins, write_pins

PINS = "apin"  # the pins as text; they are in the link
MAP = "freemap"  # the chart whose clicked cells are pinned
_CARRIED = f"{link.SLOT}carried_pins"  # session: the pins of the view "Ribbons" that were taken over last


@dataclass(frozen=True)
class Choice:
    """A hypothesis and the pins on it: (step, source token), from 0, by step."""

    hypothesis: hypothesis.Choice
    pins: tuple[tuple[int, int], ...]

    @property
    def first(self) -> int:
        """The first pinned step: what was written before it stays."""
        return self.pins[0][0]


def choose(base: hypothesis.Choice) -> Choice:
    """Draw the controls. Text that is no pin is named in a sentence; without pins the page suggests one."""
    source, target = base.source, base.names(base.candidate.tokens)
    _carry(base)
    step, token, add, pins, clear = st.columns([0.24, 0.24, 0.1, 0.3, 0.12], vertical_alignment="bottom")
    at, to = _token_menu(step, "Step", target, "_astep"), _token_menu(token, "looks at", source, "_aword")
    add.button("Pin", on_click=_pin, args=(at, to, len(target), len(source)), width="stretch")
    typed = pins.text_input(
        "Pins",
        key=PINS,
        bind="query-params",
        placeholder="step-token, such as 3-5; or click a cell",
        help="Several pins are separated by spaces. A click on a cell of the left map pins it.",
    )
    clear.button("Clear", on_click=_clear, disabled=not typed, width="stretch")
    try:
        own = read_pins(typed or "", len(target), len(source))
    except BadText as error:
        st.warning(str(error))
        own = {}
    if own:
        return Choice(base, tuple(sorted(own.items())))
    suggested = suggestion.pin(base)
    [(i, j)] = suggested.items()
    st.caption(words.suggestion(i + 1, target[i].strip(), source[j].strip()))
    return Choice(base, tuple(suggested.items()))


def _carry(base: hypothesis.Choice) -> None:
    """Take over what was pinned in the view "Ribbons" since this view was last here; pins in the link come first."""
    pins = ribbons.pins_on(base)
    fresh = pins != st.session_state.get(_CARRIED, ())
    st.session_state[_CARRIED] = pins
    known = {step: token for step, token in pins if step < len(base.candidate.tokens)}
    if known and fresh and PINS not in st.query_params:
        st.session_state[PINS] = write_pins(known)


def _token_menu(place, label: str, tokens: list[str], key: str) -> int:
    """The chosen token's position, from 0; beyond the last token the last one.

    The value is set anew in each run: of a menu that keeps its value the browser would keep the old words too.
    """
    st.session_state[key] = min(st.session_state.get(key, 0), len(tokens) - 1)
    return place.selectbox(
        label, range(len(tokens)), format_func=lambda at: f"{at + 1}: {tokens[at].strip()}", key=key
    )


def pin_clicked(steps: int, size: int) -> None:
    """Pin the cell of the map [steps, size] that was clicked."""
    points = frame.selection(MAP).get("points")
    if points and points[0].get("customdata"):
        _pin(*map(int, points[0]["customdata"]), steps, size)


def _pin(step: int, token: int, steps: int, size: int) -> None:
    try:
        pins = read_pins(st.session_state.get(PINS) or "", steps, size)
    except BadText:
        pins = {}  # pins of another sentence
    st.session_state[PINS] = write_pins({**pins, step: token})


def _clear() -> None:
    st.session_state[PINS] = ""

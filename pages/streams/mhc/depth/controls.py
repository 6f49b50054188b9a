"""The controls of the view "Depth": what is drawn of the products, the token, and the simulated stacks."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.streams.mhc.controls import TOKEN, Reading, place
from tlmviz.ui.components import frame_listener

ONE_TOKEN, MEAN, MAX = OVER = ("One token", "Mean over tokens", "Largest over tokens")
FORWARD, BACKWARD = GAINS = ("Forward gain", "Backward gain")
PRODUCTS = "spproducts"  # key of the picture whose slider chooses the token
_WALK = "_spwalk"  # session: the Walk of the picture that the browser has
_SLIDER = "sptok"


@dataclass(frozen=True)
class Choice:
    """A text, which products are drawn of it, and the gain that they are coloured by."""

    reading: Reading
    over: str = ONE_TOKEN
    gain: str = FORWARD

    @property
    def token(self) -> int:
        """The token looked at."""
        return place(self.reading)[0]


@dataclass(frozen=True)
class Simulation:
    """Stacks of so many layers, drawn at random with a seed."""

    layers: int = 128
    seed: int = 0


@dataclass(frozen=True)
class Walk:
    """The picture of a choice that the browser has, and the token that its slider began at."""

    choice: Choice | None
    start: int
    number: int  # a new one for each picture: the slider's last message belongs to one of them


def choose(reading: Reading) -> Choice:
    """What the products are taken over, and the gain."""
    left, right = st.columns([0.58, 0.42])
    over = _segments(left, "Of", OVER, "spof")
    return Choice(reading, over, _segments(right, "Gain", GAINS, "spway"))


def _segments(column, label: str, options: tuple[str, ...], key: str) -> str:
    return column.segmented_control(
        label,
        options,
        default=options[0],
        key=key,
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )


def choose_token(choice: Choice) -> int:
    """A slider of tokens that asks the server at every stop, for texts whose frames are too many to send."""
    st.session_state[_SLIDER] = choice.token
    return st.slider(
        "Token",
        0,
        len(choice.reading.tokens) - 1,
        key=_SLIDER,
        help="Longer texts are walked one token at a time.",
        on_change=lambda: TOKEN.set(st.session_state[_SLIDER]),
    )


def walk(choice: Choice) -> int:
    """The token that the picture's slider begins at. The one that the user leaves it at becomes the token looked at.

    Drawn anew at every stop, the slider would jump back while the user still moves it: the start stays as it was.
    """
    current = st.session_state.get(_WALK, Walk(None, 0, 0))
    if current.choice != choice:
        current = Walk(None, 0, current.number + 1)
    left = frame_listener.left_at(PRODUCTS, f"spwalk{current.number}")
    if left is None or current.choice is None:
        current = Walk(choice, choice.token, current.number)
    else:
        TOKEN.set(left)
    st.session_state[_WALK] = current
    return current.start


def choose_simulation() -> Simulation:
    """The depth and the seed of the simulated stacks."""
    left, right, _ = st.columns([0.4, 0.2, 0.4])
    layers = left.slider("Layers, simulated", 64, 256, 128, 16, key="spdeep", bind="query-params")
    return Simulation(layers, right.number_input("Seed", 0, 9999, 0, key="spseed", bind="query-params"))

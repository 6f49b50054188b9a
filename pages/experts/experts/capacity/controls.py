"""The controls of the view "Capacity": how many tokens an expert reads."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.experts.experts.compute import Change
from pages.experts.experts.controls import Reading

KEY = "xcapacity"
LEAST, MOST, DEFAULT = 0.25, 4.0, 1.0


@dataclass(frozen=True)
class Choice:
    """A text and the capacity factor of its pass."""

    reading: Reading
    factor: float

    @property
    def change(self) -> Change:
        """What is changed in the pass."""
        return Change(factor=self.factor)


def choose(reading: Reading) -> tuple[Choice, DeltaGenerator]:
    """Draw the slider and return what it says, and a place beside it."""
    left, right = st.columns([0.36, 0.64], vertical_alignment="center", gap="medium")
    factor = left.slider(
        "Capacity factor",
        LEAST,
        MOST,
        DEFAULT,
        0.05,
        key="xcap",
        bind="query-params",
        help="An expert reads so many times its even share of the choices, and is full then.",
    )
    return Choice(reading, float(factor)), right

"""The controls that several views of the page "Alignment & coverage" share."""

from __future__ import annotations

from math import inf

import streamlit as st

from tlmviz.decoding.penalties import Penalties

from . import words

LEAST_FLOOR = 0.001


def view_menu() -> str:
    """Which part of the page is shown, one of `words.VIEWS`."""
    return st.segmented_control(
        "View",
        words.VIEWS,
        default=words.RIBBONS,
        key="aview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )


def penalties(beta, floor) -> Penalties:
    """Weight and floor of the coverage penalty, in two places of the page.

    A sentence names a value that no penalty has; the nearest one that can be is used.
    """
    weight = beta.number_input(
        "Weight β", value=0.2, step=0.1, key="abeta", bind="query-params", help="0 switches the penalty off."
    )
    least = floor.number_input(
        "Floor",
        value=0.01,
        step=0.01,
        format="%.3f",
        key="afloor",
        bind="query-params",
        help="Coverage below it counts as this much. Without it a token without attention would cost log 0 = −∞.",
    )
    return Penalties(
        beta=_within(weight, 0.0, inf, "The weight β is 0 or more"),
        floor=_within(least, LEAST_FLOOR, 1.0, "The floor is above 0 and at most 1"),
    )


def _within(value: float, low: float, high: float, rule: str) -> float:
    nearest = min(max(value, low), high)
    if nearest != value:
        st.error(f"{rule}: {nearest:g} is used in place of {value:g}.")
    return nearest

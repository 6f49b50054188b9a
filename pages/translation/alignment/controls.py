"""The controls that several views of the page "Alignment & coverage" share."""

from __future__ import annotations

import streamlit as st

from tlmviz.decoding.penalties import Penalties

from . import words


def view_menu() -> str:
    """Which part of the page is shown, one of `words.VIEWS`."""
    return st.segmented_control(
        "View",
        words.VIEWS,
        default=words.TRANSLATION,
        key="aview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )


def penalties(beta, floor) -> Penalties:
    """Weight and floor of the coverage penalty, in two places of the page. Raises BadSearch."""
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
        help="Coverage below it counts as this much. The notes have none: there a token without attention costs log 0 = −∞.",
    )
    return Penalties(beta=weight, floor=least)

"""Which part of the page Latents is open."""

from __future__ import annotations

import streamlit as st

READING, COST, TWO_MLAS = PARTS = ("Reading a digit", "Cost", "Two MLAs")


def choose_part() -> str:
    """The part, chosen in a row of buttons."""
    return str(
        st.segmented_control(
            "Part",
            PARTS,
            default=READING,
            key="latpart",
            bind="query-params",
            required=True,
            label_visibility="collapsed",
        )
    )

"""The control of the view "Load": whose experts are listed."""

from __future__ import annotations

import streamlit as st

from pages.experts.experts.controls import LAYER, Reading

KEY = "_xloadlayer"


def choose_layer(reading: Reading, opening: int) -> int:
    """The layer whose experts are listed: the one looked at in the pictures too, at first that of `opening`."""
    chosen = LAYER.get()
    st.session_state[KEY] = chosen if chosen in reading.layers else opening
    st.selectbox(
        "Layer",
        reading.layers,
        key=KEY,
        format_func="Experts of layer {}".format,
        on_change=lambda: LAYER.keep(st.session_state[KEY]),
        label_visibility="collapsed",
        width=220,
    )
    LAYER.share()
    return int(st.session_state[KEY])

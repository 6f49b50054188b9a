"""Draws the buttons that give the chosen map and the whole trace as files."""

from __future__ import annotations

import streamlit as st

from . import compute, words
from .controls import Choice


def downloads(choice: Choice) -> None:
    """The map as CSV, the trace as NPZ; both are made when they are asked for."""
    layer, head = choice.view.head
    left, right = st.columns(2)
    left.download_button(
        words.map_file(layer, head),
        lambda: compute.map_csv(choice),
        f"tlmviz-{choice.model}-L{layer}H{head}.csv",
        "text/csv",
        on_click="ignore",
        width="stretch",
    )
    right.download_button(
        words.TRACE_FILE,
        lambda: compute.trace_npz(choice),
        f"tlmviz-{choice.model}.npz",
        "application/octet-stream",
        on_click="ignore",
        width="stretch",
    )

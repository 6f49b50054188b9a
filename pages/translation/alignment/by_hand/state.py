"""The state of the part Matrix by hand: one matrix, as text."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

LEAST, MOST, EVEN = "1 0 0; 1 0 0; 1 0 0", "1 0 0; 0 1 0; 0 0 1", "1 1 1; 1 1 1; 1 1 1"
TABLE = f"{link.SLOT}table"  # session: the table's number; a new one forgets what was typed into the last


def _renew() -> None:
    st.session_state[TABLE] = st.session_state.get(TABLE, 0) + 1


class Hand(state.State):
    """A matrix as it is typed."""

    matrix = state.text(
        N_("Steps × source tokens"),
        LEAST,
        key="amat",
        height=90,
        changed=_renew,
        ends=(MOST, EVEN, "2 1 1; 0 0 5"),
        help=N_("Numbers in rows that semicolons separate."),
    )


def put(text: str) -> None:
    """Callback: make a matrix the page's own."""
    Hand.matrix.set(text)
    _renew()

"""The controls of the part Tiles: the sides of a tile, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.ui import link

from ..controls import Choice

SIZES = (4, 8, 16, 32, 64)
ROWS, COLS = (
    16,
    8,
)  # at first: with blocks of 8 rows the kernel moves as much as standard attention on a short text
KEY = "flashmemory"
STEP = link.Field("fstep", None, link.whole(0, 9_999))  # None: the first tile that is added
_SEQUENCE = "_fl_sequence"  # session: number of the picture's last message


@dataclass(frozen=True)
class TileChoice:
    """A head of a model that reads a text, and the rows and columns of a tile. Its query plays no part and is 0."""

    at: Choice
    rows: int = ROWS
    cols: int = COLS


def choose(choice: Choice) -> TileChoice:
    """Rows and columns of a tile."""
    left, right = st.columns(2)
    rows = left.select_slider("Rows of a tile, Br", SIZES, ROWS, key="br", bind="query-params")
    cols = right.select_slider("Columns of a tile, Bc", SIZES, COLS, key="bc", bind="query-params")
    return TileChoice(replace(choice, query=0), rows, cols)


def state() -> dict:
    """The step that the picture shows, with the number of its own last message."""
    return {"step": STEP.get(), "seq": st.session_state.get(_SEQUENCE, 0)}


def keep_step() -> None:
    """Callback of the picture: the user left it at a step."""
    message = (st.session_state.get(KEY) or {}).get("place")
    if message:
        st.session_state[_SEQUENCE] = int(message["seq"])
        STEP.set(int(message["step"]))

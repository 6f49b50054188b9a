"""The controls of the part Tiles: the sides of a tile, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from ..controls import Choice

SIZES = (4, 8, 16, 32, 64)


@dataclass(frozen=True)
class TileChoice:
    """A head of a model that reads a text, and the rows and columns of a tile. Its query plays no part and is 0."""

    at: Choice
    rows: int = 8
    cols: int = 8


def choose(choice: Choice) -> TileChoice:
    """Rows and columns of a tile."""
    left, right = st.columns(2)
    rows = left.select_slider("Rows of a tile, Br", SIZES, 8, key="br", bind="query-params")
    cols = right.select_slider("Columns of a tile, Bc", SIZES, 8, key="bc", bind="query-params")
    return TileChoice(replace(choice, query=0), rows, cols)

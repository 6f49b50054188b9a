"""The controls of the view "Matrix by hand": presets, a text and a table of cells for one matrix, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.decoding.penalties import Penalties
from tlmviz.ui import translation

from ..controls import penalties
from .matrix import SIDE, read_matrix, resized, write_matrix

LEAST = "Least"
PRESETS = {
    LEAST: "1 0 0; 1 0 0; 1 0 0",
    "Most": "1 0 0; 0 1 0; 0 0 1",
    "Even": "1 1 1; 1 1 1; 1 1 1",
}
TEXT = "amat"  # the matrix as text; it is in the link
ROWS, COLUMNS = "_arows", "_acols"
CELLS, VERSION = (
    "_cells",
    "_table",
)  # the table, and its number: a new one forgets what was typed into the last
TOO_LARGE = "_too_large"  # why the translation's map could not be taken over
TABLE = 300  # pixels of a table of many steps


@dataclass(frozen=True)
class Choice:
    """A matrix whose rows sum to 1, and the penalties."""

    matrix: tuple[tuple[float, ...], ...]
    penalties: Penalties

    @property
    def attention(self) -> np.ndarray:
        """a_ij [T, S]."""
        return np.array(self.matrix)


def choose(model: str, text: str | None, buttons, table) -> Choice:
    """Draw presets and penalties at `buttons`, the matrix at `table`. Raises BadShape for what is no attention."""
    with buttons:
        rules = penalties(*_presets(model, text))
    message = st.session_state.pop(TOO_LARGE, None)
    if message:
        buttons.warning(message)
    with table:
        typed = st.text_area(
            "Steps × source tokens",
            PRESETS[LEAST],
            key=TEXT,
            height=90,
            bind="query-params",
            on_change=_renew_table,
            help="Numbers in rows that semicolons separate.",
        )
        attention = read_matrix(typed or "")
        _cells(typed)
        for place, label, key, count in zip(
            st.columns(2), ("Steps", "Source tokens"), (ROWS, COLUMNS), attention.shape
        ):
            st.session_state[key] = count
            place.number_input(label, 1, SIDE, key=key, on_change=_resize, args=(typed,))
        st.caption("Each row is scaled to sum 1, as attention does.")
    return Choice(tuple(map(tuple, attention.tolist())), rules)


def _presets(model: str, text: str | None) -> list:
    """Buttons that give the matrix; returns two places beside them."""
    places = st.columns([0.19, 0.19, 0.12, 0.22, 0.14, 0.14], vertical_alignment="bottom")
    for place, (label, preset) in zip(places, PRESETS.items()):
        place.button(label, key=f"preset-{label}", on_click=_put, args=(preset,), width="stretch")
    places[3].button(
        "From the translation",
        on_click=_from_translation,
        args=(model, text),
        width="stretch",
        disabled=text is None,
        help="The best hypothesis's map, where it is not too large.",
    )
    return places[4:]


def _cells(typed: str) -> None:
    """The matrix as cells to type into; what is typed goes into the text."""
    rows = [
        [float(value) for value in row.replace(",", " ").split()]
        for row in typed.strip().strip(";").split(";")
    ]
    cells = pd.DataFrame(
        rows, [f"y{i}" for i in range(1, 1 + len(rows))], [f"x{j}" for j in range(1, 1 + len(rows[0]))]
    )
    key = f"{CELLS}{st.session_state.get(VERSION, 0)}"
    st.data_editor(
        cells,
        key=key,
        on_change=_edited,
        args=(key, cells),
        height="auto" if len(cells) <= 8 else TABLE,
        column_config={
            name: st.column_config.NumberColumn(min_value=0.0, width=52, format="%g") for name in cells
        },
    )


def _edited(key: str, cells: pd.DataFrame) -> None:
    changed = cells.copy()
    for row, edits in st.session_state[key]["edited_rows"].items():
        for column, value in edits.items():
            changed.loc[changed.index[int(row)], column] = value or 0.0
    st.session_state[TEXT] = write_matrix(changed.to_numpy())


def _put(text: str) -> None:
    """Make a matrix the page's own."""
    st.session_state[TEXT] = text
    _renew_table()


def _renew_table() -> None:
    st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1


def _resize(typed: str) -> None:
    steps, size = int(st.session_state[ROWS]), int(st.session_state[COLUMNS])
    _put(write_matrix(resized(read_matrix(typed), steps, size)))


def _from_translation(model: str, text: str) -> None:
    attention = translation.translation(model, text).attention
    if max(attention.shape) > SIDE:
        steps, size = attention.shape
        st.session_state[TOO_LARGE] = (
            f"This translation has {steps} steps and {size} source tokens; a table by hand has at most {SIDE} of each."
        )
    else:
        _put(write_matrix(attention))

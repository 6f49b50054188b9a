"""The controls of the view "Matrices": the picture itself, in which a token, a sublayer, an entry and colours are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st
from torch import Tensor

from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import SUBLAYER, TOKEN, Reading, place
from tlmviz.ui import link
from tlmviz.ui import reading as reading_level

from .component import COLORS

KEY = "smview"
_SEQUENCE = f"{link.SLOT}sm_sequence"  # session: number of the picture's last message


def _entry(text: str) -> tuple[int, int]:
    row, _, column = text.partition(".")
    return link.whole(0, 99)(row), link.whole(0, 99)(column)


# Row and column; None: the largest entry beside the diagonal, where streams mix the most.
ENTRY: link.Field[tuple[int, int] | None] = link.Field(
    "smij", None, _entry, lambda entry: link.write_pairs([entry])
)
COLORING = link.Field("smcol", COLORS[0], link.choice(COLORS))


@dataclass(frozen=True)
class Choice:
    """A text, the matrix of it that is looked at, one of its entries, and how matrices are coloured."""

    reading: Reading
    token: int
    sublayer: int
    entry: tuple[int, int]
    colors: str

    def state(self) -> dict:
        """The same as the picture reads it, with the number of its own last message."""
        row, column = self.entry
        return {
            "token": self.token,
            "sublayer": self.sublayer,
            "row": row,
            "col": column,
            "colors": self.colors,
            "seq": st.session_state.get(_SEQUENCE, 0),
        }


def choose(reading: Reading) -> Choice:
    """What was chosen in the picture, or at first what the link says."""
    token, sublayer = place(reading)
    entry = ENTRY.get() or largest_mixing(page.mixing(reading).res[sublayer, token])
    return Choice(reading, token, sublayer, entry, COLORING.get())


def largest_mixing(matrix: Tensor) -> tuple[int, int]:
    """Row and column of the largest entry beside the diagonal of a matrix [N, N], in absolute value."""
    beside = matrix.abs().fill_diagonal_(-1.0)
    row, column = divmod(int(beside.argmax()), matrix.shape[-1])
    return row, column


def choose_distance(names: Mapping[str, str]) -> str:
    """The distance that is drawn as a map, of those that `names` calls something."""
    return st.segmented_control(
        "Frobenius distance of H_res" if reading_level.maths() else "How far the mixing is",
        names,
        format_func=names.get,
        default=next(iter(names)),
        key="smdist",
        required=True,
        bind="query-params",
    )


def keep_choice() -> None:
    """Callback of the picture: the user chose a token, a sublayer, an entry or the colours."""
    message = _message()
    if not message:
        return
    st.session_state[_SEQUENCE] = int(message["seq"])
    TOKEN.set(int(message["token"]))
    SUBLAYER.set(int(message["sublayer"]))
    ENTRY.set((int(message["row"]), int(message["col"])))
    COLORING.set(message["colors"] if message["colors"] in COLORS else COLORS[0])


def made_in_picture() -> bool:
    """Whether the browser has the picture, and the choice is the one last made in it.

    Streamlit forgets a picture that a run leaves out: one that comes back must be sent the choice.
    """
    message = _message()
    return bool(message) and message["seq"] == st.session_state.get(_SEQUENCE, 0)


def _message() -> dict | None:
    return (st.session_state.get(KEY) or {}).get("place")

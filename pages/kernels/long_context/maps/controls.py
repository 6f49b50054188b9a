"""The controls of the view Maps: the tile that is opened and the queries that are read, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.analysis.kernels.long_context import EXACT, LONGEST
from tlmviz.ui import frame, link

TILE = (
    "trow",
    "tcol",
    "tside",
)  # keys of the tile's first query, first key and side, in the session and in the link
OVERVIEW, HEAD_MAP = "allheads", "headmap"  # keys of the charts that are clicked and dragged in
WANTED = (
    1040,
    1028,
    20,
)  # the tile that is opened unless another is asked for, where the text reaches that far
ASKED = tuple(
    link.Field(key, value, link.whole(least, 999_999)) for key, value, least in zip(TILE, WANTED, (0, 0, 1))
)
LARGEST, SMALLEST = 256, 8  # tokens along a tile's side, at most, and at least when dragged


@dataclass(frozen=True)
class MapChoice:
    """A tile inside the text by its first query, first key and side, and whether the overview reads every query.

    `moved` says that another tile was asked for, which the text or the page does not have.
    """

    row: int
    col: int
    side: int
    every: bool = False
    moved: bool = False

    @property
    def rows(self) -> slice:
        """The tile's queries."""
        return slice(self.row, self.row + self.side)

    @property
    def cols(self) -> slice:
        """The tile's keys."""
        return slice(self.col, self.col + self.side)


def choose(length: int, numbers: list[DeltaGenerator], below: DeltaGenerator) -> MapChoice:
    """The tile in three `numbers`, kept inside the text of `length` tokens, and `below` the pictures a toggle."""
    every = False
    if length > EXACT:
        every = below.toggle(
            "Read every query for the overview of all heads",
            key="every",
            bind="query-params",
            help="Slower: at 16,384 tokens a minute or more. The middle map and the tile always read every query.",
        )
    asked = [field.get() for field in ASKED]
    side = min(max(asked[2], 1), LARGEST, length)
    tile = (*(min(max(first, 0), length - side) for first in asked[:2]), side)
    for place, label, field, value in zip(numbers, ("From query", "From key", "Tokens"), ASKED, tile):
        st.session_state[field.key] = (
            value  # the box says what is drawn; what was asked for stays in the link
        )
        place.number_input(
            label, -LONGEST, step=1, key=field.key, on_change=_keep, args=(field,), format="%d"
        )
        field.share()
    moved = any(
        wish not in (value, field.default) for wish, value, field in zip(asked, tile, ASKED)
    )  # nobody asked for a default
    return MapChoice(*tile, every, moved)


def _keep(field: link.Field) -> None:
    field.keep(int(st.session_state[field.key]))


def tile_from_box(x: list[float], y: list[float]) -> tuple[int, int, int]:
    """The tile (first query, first key, side) at a dragged box of keys `x` and queries `y`: its middle, SMALLEST to LARGEST."""
    side = min(max(round(max(abs(x[1] - x[0]), abs(y[1] - y[0]))), SMALLEST), LARGEST)
    row, col = (max(0, round((ends[0] + ends[1]) / 2 - side / 2)) for ends in (y, x))
    return row, col, side


def head_clicked() -> None:
    """Open the head that was clicked in the overview."""
    points = frame.selection(OVERVIEW).get("points")
    if points:
        link.choose_head(*map(int, points[0]["customdata"]))


def box_dragged() -> None:
    """Open the tile at the box that was dragged in the head's map."""
    boxes = frame.selection(HEAD_MAP).get("box")
    if boxes:
        for field, value in zip(ASKED, tile_from_box(boxes[-1]["x"], boxes[-1]["y"])):
            field.keep(value)


def statistic_menu(statistics: list[str]) -> str:
    """The statistic that is drawn of every head."""
    return st.selectbox(
        "Statistic", statistics, key="lstat", bind="query-params", label_visibility="collapsed"
    )

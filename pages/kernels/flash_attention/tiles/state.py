"""The state of the part Tiles: the sides of a tile, and the step that the picture shows."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

SIZES = (4, 8, 16, 32, 64)
ROWS, COLS = 16, 8  # with blocks of 8 rows the kernel moves as much as standard attention on a short text


class Tiles(state.State):
    """A head of a model that reads a text, the rows and columns of a tile, and a step of the walk."""

    model: str
    text: str
    layer: int
    head: int
    rows = state.menu(N_("Rows of a tile, Br"), SIZES, key="br", default=ROWS, widget="select_slider")
    cols = state.menu(N_("Columns of a tile, Bc"), SIZES, key="bc", default=COLS, widget="select_slider")
    step = state.live("fstep", None, link.whole(0, 9_999), ends=(0, 9_999))  # None: the first tile that is added

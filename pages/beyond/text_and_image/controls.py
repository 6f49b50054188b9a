"""The controls of the page "Text and image": a question, and a picture whose cells are filled by hand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
import streamlit as st

from tlmviz import digits
from tlmviz.errors import BadShape
from tlmviz.scenes import language
from tlmviz.ui import link

KEY, QUESTION = "sceneview", "tiq"
CELLS, PATCHES, WORDS, HEADS = 9, 36, language.MOST_WORDS, 16
DEFAULT = ("h110", "h295", "", "", "h125", "", "h227", "", "")
ASKED = "what is left of the 7"
_SEQUENCE = f"{link.SLOT}scene_sequence"  # session: number of the picture's last message


def _cell(text: str) -> str:
    """A cell of a link: "" is empty, "h" and a number a held-out digit, 64 letters a drawn one. Raises ValueError."""
    if text and text[0] == "h":
        return f"h{link.whole(0, len(digits.held_out()) - 1)(text[1:])}"
    if text:
        try:
            digits.read(text)
        except BadShape as error:
            raise ValueError(text[:80]) from error
    return "" if text == "0" * digits.SIDE**2 else text


def _grid(text: str) -> tuple[str, ...]:
    cells = tuple(_cell(part) for part in text.split("."))
    if len(cells) != CELLS:
        raise ValueError(text[:80])
    return cells


def _shown(text: str) -> tuple[int, ...]:
    most = (WORDS, PATCHES, HEADS, WORDS, HEADS)
    parts = text.split(".")
    if len(parts) != len(most):
        raise ValueError(text[:80])
    return tuple(link.whole(0, top)(part) for part, top in zip(parts, most))


GRID: link.Field[tuple[str, ...]] = link.Field("tig", DEFAULT, _grid, ".".join)
# Word, patch, head, word and head of the turned model, from 1; 0 is none, of heads their mean. (): what answers best.
SHOWN: link.Field[tuple[int, ...]] = link.Field("tis", (), _shown, lambda shown: ".".join(map(str, shown)))
CELL = link.Field("tic", 3, link.whole(0, CELLS - 1))


@dataclass(frozen=True)
class Choice:
    """The nine cells, as the link spells them, the question as it was typed, what is shown, and the cell that is laid out."""

    cells: tuple[str, ...]
    question: str
    shown: tuple[int, ...]
    cell: int

    @cached_property
    def grid(self) -> list[list[np.ndarray | None]]:
        """The picture as the models take it."""
        images = [_image(cell) for cell in self.cells]
        return [images[row : row + language.SIDE] for row in range(0, CELLS, language.SIDE)]

    @cached_property
    def labels(self) -> list[int | None]:
        """What is in the cells; of a drawn one nobody knows, and None is no digit."""
        held_out = digits.held_out()
        return [int(held_out.labels[int(cell[1:])]) if cell[:1] == "h" else None for cell in self.cells]

    @property
    def drawn(self) -> tuple[int, ...]:
        """The cells that were drawn by hand."""
        return tuple(place for place, cell in enumerate(self.cells) if cell and cell[0] != "h")

    @property
    def sequence(self) -> int:
        """Number of the last message of the picture."""
        return int(st.session_state.get(_SEQUENCE, 0))


def choose() -> Choice:
    """Draw the controls and return what they say."""
    typed = st.text_input(
        "Question", ASKED, key=QUESTION, bind="query-params", live="150ms", max_chars=200
    )  # fmt: skip
    for field in (GRID, SHOWN, CELL):
        field.share()
    return Choice(GRID.get(), str(typed or ""), SHOWN.get(), CELL.get())


def keep() -> None:
    """Callback of the picture: something was put into a cell, a question was picked, or other weights are shown."""
    message: dict[str, Any] | None = (st.session_state.get(KEY) or {}).get("scene")
    if not message:
        return
    st.session_state[_SEQUENCE] = int(message["seq"])
    CELL.keep(min(max(int(message["cell"]), 0), CELLS - 1))
    SHOWN.keep(tuple(int(number) for number in message["shown"]))
    if message.get("question") is not None:
        st.session_state[QUESTION] = str(message["question"])[:200]
    if message.get("put") is not None:
        cells = list(GRID.get())
        cells[CELL.get()] = _put(message["put"], cells[CELL.get()])
        GRID.keep(tuple(cells))
    if message.get("question") is not None or message.get("put") is not None:
        SHOWN.keep(())


def _put(what: dict[str, Any], before: str) -> str:
    """What a cell holds after something was put into it: the next held-out picture of a digit, a drawing, or nothing."""
    if "digit" in what:
        return next_held_out(int(what["digit"]) % 10, before)
    return _cell(str(what["drawn"])) if "drawn" in what else ""


def next_held_out(digit: int, before: str) -> str:
    """The held-out picture of a digit that follows the one before, or the first."""
    labels = digits.held_out().labels
    start = int(before[1:]) + 1 if before[:1] == "h" else 0
    found = next(number % len(labels) for number in count(start) if labels[number % len(labels)] == digit)
    return f"h{found}"


def _image(cell: str) -> np.ndarray | None:
    if not cell:
        return None
    return digits.held_out().images[int(cell[1:])] if cell[0] == "h" else digits.read(cell)

"""The state of the page Text and image: a question, and what the picture holds: its cells and what is looked at."""

from __future__ import annotations

from itertools import count

import numpy as np

from tlmviz import digits
from tlmviz.errors import BadShape
from tlmviz.facades.scenes import language
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

CELLS, PATCHES, WORDS, HEADS = 9, 36, language.MOST_WORDS, 16
DEFAULT = ("h110", "h295", "", "", "h125", "", "h227", "", "")
ASKED = "what is left of the 7"
DRAWN = "0" * 27 + "g" * 10 + "0" * 27


def _cell(text: str) -> str:
    """A cell of a link: "" is empty, "h" and a number a held-out digit, 64 letters a drawn one. Raises ValueError.

    The picture also says "3h110" for the held-out 3 that follows h110.
    """
    if text and text[0] == "h":
        return f"h{link.whole(0, len(digits.held_out()) - 1)(text[1:])}"
    if text[:1].isascii() and text[:1].isdigit() and len(text) < digits.SIDE**2:
        return next_held_out(int(text[0]), _cell(text[1:]))
    if text:
        try:
            digits.read(text)
        except BadShape as error:
            raise ValueError(text[:80]) from error
    return "" if text == "0" * digits.SIDE**2 else text


def next_held_out(digit: int, before: str) -> str:
    """The held-out picture of a digit that follows the one before, or the first."""
    labels = digits.held_out().labels
    start = int(before[1:]) + 1 if before[:1] == "h" else 0
    found = next(number % len(labels) for number in count(start) if labels[number % len(labels)] == digit)
    return f"h{found}"


def _grid(text: str) -> tuple[str, ...]:
    cells = tuple(_cell(part) for part in text.split("."))
    if len(cells) != CELLS:
        raise ValueError(text[:80])
    return cells


def _shown(text: str) -> tuple[int, ...]:
    most = (WORDS, PATCHES, HEADS, WORDS, HEADS)
    parts = text.split(".") if text else ()
    if parts and len(parts) != len(most):
        raise ValueError(text[:80])
    return tuple(link.whole(0, top)(part) for part, top in zip(parts, most))


class Scene(state.State):
    """The question as it was typed; the nine cells as a link spells them; word, patch, head, word and head of the
    turned model, from 1, where 0 is none (of heads their mean) and () what answers best; and the cell that is laid
    out."""

    question = state.text(
        N_("Question"),
        ASKED,
        key="tiq",
        ends=("what is right of the 4", "describe the picture", "where is the 2", "paint it"),
        more={"live": "150ms", "label_visibility": "collapsed"},
    )
    grid = state.live(
        "tig",
        DEFAULT,
        _grid,
        ".".join,
        ends=(("",) * CELLS, ("h0", DRAWN, *[""] * 7), ("", "h182", "h139", "", "", "", "h343", "", "")),
    )
    shown = state.live(
        "tis", (), _shown, lambda shown: ".".join(map(str, shown)), ends=((0,) * 5, (7, 0, 4, 4, 3), (2, 9, 0, 1, 0))
    )
    cell = state.live("tic", 3, link.whole(0, CELLS - 1), ends=(0, CELLS - 1))

    @property
    def pictures(self) -> list[list[np.ndarray | None]]:
        """The picture as the models take it."""
        images = [_image(cell) for cell in self.grid]
        return [images[row : row + language.SIDE] for row in range(0, CELLS, language.SIDE)]

    @property
    def labels(self) -> list[int | None]:
        """What is in the cells; of a drawn one nobody knows, and None is no digit."""
        held_out = digits.held_out()
        return [int(held_out.labels[int(cell[1:])]) if cell[:1] == "h" else None for cell in self.grid]

    @property
    def drawn(self) -> tuple[int, ...]:
        """The cells that were drawn by hand."""
        return tuple(place for place, cell in enumerate(self.grid) if cell and cell[0] != "h")


Scene.question.changed = lambda: Scene.shown.set(())


def _image(cell: str) -> np.ndarray | None:
    if not cell:
        return None
    return digits.held_out().images[int(cell[1:])] if cell[0] == "h" else digits.read(cell)

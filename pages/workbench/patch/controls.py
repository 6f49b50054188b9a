"""The controls of the page Patch: two texts, two answers, what is patched, the chosen cell and the chain, as one Choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain, permutations
from typing import Any

import streamlit as st

from tlmviz.analysis.workbench.patching import HEAD_KINDS, KINDS, Cell, answer_id
from tlmviz.errors import BadText
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute, frame, link

CLEAN = "Lily had a red ball. One day, Lily lost the red"
CORRUPTED = "Lily had a red hat. One day, Lily lost the red"
ANSWER, WRONG = "ball", "hat"
TEXTS = {"ptclean": CLEAN, "ptcorr": CORRUPTED, "ptans": ANSWER, "ptwrong": WRONG}
LETTERS = "abstowe"  # of which pairs are made for a tokenizer that splits the words above unevenly
PARTS = {
    "Head output z": "z",
    "Pattern": "pattern",
    "q": "q",
    "k": "k",
    "v": "v",
    "Residual": "resid",
    "Attention out": "attn",
    "MLP out": "mlp",
}
KEY = "patchview"
MOST = 24  # patches in a chain


def cell_of(text: str) -> Cell:
    """A cell as `spelled` writes it. Raises ValueError for anything else."""
    kind, layer, index = text.split(".")
    if kind not in KINDS:
        raise ValueError(text)
    place = link.whole(0, 99_999)
    return Cell(kind, place(layer), place(index))


def spelled(cell: Cell) -> str:
    """A cell in a link: z.5.0."""
    return f"{cell.kind}.{cell.layer}.{cell.index}"


CELL: link.Field[Cell | None] = link.Field(
    "ptcell", None, cell_of, lambda cell: spelled(cell) if cell else ""
)
CHAIN: link.Field[tuple[Cell, ...]] = link.Field(
    "ptchain",
    (),
    lambda text: tuple(dict.fromkeys(map(cell_of, text.split(","))))[:MOST],
    lambda cells: ",".join(map(spelled, cells)),
)
EXACT = link.Field("ptexact", False, lambda text: text == "1", lambda on: "1" if on else "")
_ORIGIN = f"{link.SLOT}patch_origin"  # session: for which grid EXACT was said


@dataclass(frozen=True)
class Choice:
    """A model, two texts of one length, the answers between which they decide, and the kind of patch."""

    model: str
    clean: str
    corrupted: str
    answer: str
    wrong: str
    kind: str = "z"

    @property
    def lm(self) -> LanguageModel:
        """The model."""
        return compute.model(self.model)

    @property
    def heads(self) -> bool:
        """Whether the patches are of heads, and not of positions."""
        return self.kind in HEAD_KINDS

    @property
    def task(self) -> Choice:
        """The same for all kinds: the key under which the two runs are kept."""
        return replace(self, kind="z")


@st.cache_data(max_entries=32, show_spinner=False)
def opening(model: str) -> tuple[str, ...]:
    """The texts and answers at the start: TEXTS, or letters where the tokens of the texts in TEXTS don't match."""
    lm = compute.model(model)

    def fits(clean: str, corrupted: str, answer: str, wrong: str) -> bool:
        try:
            answers = {answer_id(lm, clean, each) for each in (answer, wrong)}
        except BadText:
            return False
        return len(answers) == 2 and len(lm.encode(clean)) == len(lm.encode(corrupted))

    stories = tuple(TEXTS.values())
    letters = ((f"{x} {y} {x} {y} {x}", f"{x} {z} {x} {z} {x}", y, z) for x, y, z in permutations(LETTERS, 3))
    return next((pair for pair in chain((stories,), letters) if fits(*pair)), stories)


def choose(model: str) -> Choice:
    """Draw the texts, the answers and the kinds, and return what they say."""
    widths = [0.36, 0.36, 0.14, 0.14]
    labels = "Clean text", "Corrupted text", "Answer", "Wrong answer"
    texts = [
        place.text_input(label, start, key=key, bind="query-params", live="300ms", max_chars=2000)
        for place, label, (key, start) in zip(st.columns(widths), labels, zip(TEXTS, opening(model)))
    ]
    with frame.after_picture(pairs=False):
        part = st.segmented_control(
            "What is patched",
            tuple(PARTS),
            default="Head output z",
            key="ptkind",
            bind="query-params",
            required=True,
            label_visibility="collapsed",
        )
    clean, corrupted, answer, wrong = (text or "" for text in texts)
    return Choice(model, clean, corrupted, answer, wrong, PARTS.get(part, "z"))


def fields(choice: Choice) -> None:
    """Keep cell, chain and the wish for exact numbers in the link; the wish is for one grid and ends with it."""
    if st.session_state.setdefault(_ORIGIN, choice) != choice:
        st.session_state[_ORIGIN] = choice
        EXACT.keep(False)
    for field in (CELL, CHAIN, EXACT):
        field.share()


def wish(exact: bool) -> None:
    """Callback: the grid is to be run, or no longer."""
    EXACT.keep(exact)


def clicked(choice: Choice) -> Callable[[], None]:
    """Callback of the picture of a choice: a cell was clicked."""

    def keep() -> None:
        message: dict[str, Any] = (st.session_state.get(KEY) or {}).get("cell") or {}
        if message.get("cell"):
            layer, index = (int(part) for part in message["cell"])
            CELL.keep(Cell(choice.kind, max(0, layer), max(0, index)))

    return keep


def add(cell: Cell) -> None:
    """Callback: one more patch in the chain."""
    if cell not in CHAIN.get():
        CHAIN.keep((*CHAIN.get(), cell)[-MOST:])


def remove(cell: Cell) -> None:
    """Callback: one patch less."""
    CHAIN.keep(tuple(each for each in CHAIN.get() if each != cell))


def use(texts: dict[str, str]) -> None:
    """Put a preset into the boxes; what was chosen and chained belongs to other texts."""
    for key, text in texts.items():
        st.session_state[key] = text
    CELL.keep(None)
    CHAIN.keep(())
    EXACT.keep(False)

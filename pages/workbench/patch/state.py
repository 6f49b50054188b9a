"""The state of the page Patch: two texts, two answers, what is patched, the cell that is chosen, and the chain."""

from __future__ import annotations

from itertools import zip_longest

from tlmviz.analysis.workbench.patching import HEAD_KINDS, KINDS, Cell
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

CLEAN = "Lily had a red ball. One day, Lily lost the red"
CORRUPTED = "Lily had a red hat. One day, Lily lost the red"
GIRL = "Once upon a time there was a little girl. One day,"
BOY = GIRL.replace("girl", "boy")
PARTS = {  # what is patched; links call it as the menu did at first
    "z": N_("Head output z"),
    "pattern": N_("Pattern"),
    "q": "q",
    "k": "k",
    "v": "v",
    "resid": N_("Residual"),
    "attn": N_("Attention out"),
    "mlp": N_("MLP out"),
}
MOST = 24  # patches in a chain
Place = tuple[str, int, int]  # kind, layer, and head or position
_place = link.whole(0, 99_999)


def _cell(text: str) -> Place:
    kind, layer, index = text.split(".")
    if kind not in KINDS:
        raise ValueError(text)
    return kind, _place(layer), _place(index)


def spelled(cell: Place | None) -> str:
    """A cell in a link: z.5.0."""
    return ".".join(map(str, cell)) if cell else ""


def _chain(text: str) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(map(_cell, text.split(","))))[:MOST] if text else ()


def _other_grid() -> None:
    """The wish for exact numbers is for one grid and ends with it."""
    Patch.exact.set(False)


def _other_texts() -> None:
    """Other texts make the model expect other words."""
    for each in (Patch.answer, Patch.wrong):
        each.set(None)
    _other_grid()


def _other_answers() -> None:
    """An emptied box stands for what the model expects."""
    for each in (Patch.answer, Patch.wrong):
        if not (each.get() or "").strip():
            each.set(None)
    _other_grid()


def _typed(label: str, default: str | None, key: str) -> state.Control:
    changed = _other_texts if default else _other_answers
    return state.text(label, default, key=key, more={"live": "300ms"}, changed=changed)


class Patch(state.State):
    """A model, two texts of one length, the answers between which they decide (None: what each text makes the model
    expect), and what is patched."""

    model: str
    clean = _typed(N_("Clean text"), CLEAN, "ptclean")
    corrupted = _typed(N_("Corrupted text: as many tokens"), CORRUPTED, "ptcorr")
    answer = _typed(N_("Answer"), None, "ptans")
    wrong = _typed(N_("Wrong answer"), None, "ptwrong")
    kind = state.menu(
        N_("What is patched"), PARTS, key="ptkind", spelled=PARTS, segments=True, label_visibility="collapsed"
    )
    kind.changed = _other_grid
    cell = state.live("ptcell", None, _cell, spelled, ends=(("z", 3, 2), ("resid", 1, 0)))  # None: the best one
    chain = state.live(
        "ptchain", (), _chain, lambda cells: ",".join(map(spelled, cells)), ends=((("z", 5, 0), ("z", 3, 2)),)
    )
    exact = state.live(
        "ptexact", False, lambda text: link.choice(("0", "1"))(text) == "1", lambda on: str(int(on)), ends=(True,)
    )

    @property
    def heads(self) -> bool:
        """Whether the patches are of heads, and not of positions."""
        return self.kind in HEAD_KINDS

    @property
    def texts(self) -> tuple[str, str, str | None, str | None]:
        """Both texts and both answers."""
        return self.clean, self.corrupted, self.answer, self.wrong


TEXTS = Patch.clean, Patch.corrupted, Patch.answer, Patch.wrong


def add(cell: Cell) -> None:
    """Callback: one more patch in the chain."""
    place = (cell.kind, cell.layer, cell.index)
    if place not in Patch.chain.get():
        Patch.chain.set((*Patch.chain.get(), place)[-MOST:])


def remove(cell: Cell) -> None:
    """Callback: one patch less."""
    Patch.chain.set(tuple(each for each in Patch.chain.get() if each != (cell.kind, cell.layer, cell.index)))


def use(texts: tuple[str | None, ...]) -> None:
    """Put texts and answers into the boxes; what was chosen and chained belongs to other texts."""
    Patch.cell.set(None)
    Patch.chain.set(())
    Patch.exact.set(False)
    for box, text in zip_longest(TEXTS, texts):  # no answers: what the texts make the model expect
        box.set(text)

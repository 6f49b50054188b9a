"""What the page Patch claims, held against runs that are patched plainly, one at a time."""

from functools import cached_property

import numpy as np
import pytest
from torch import Tensor

import tlmviz
from pages.workbench.patch import claims, data
from pages.workbench.patch.examples import STORIES
from pages.workbench.patch.state import Patch
from tests.pages.states import agree, each_speaks_and_is_silent, states
from tlmviz.analysis.workbench import patching
from tlmviz.errors import BadText
from tlmviz.figures import readable
from tlmviz.ui.markdown import plain

MODEL = "zoo-rope"
START = {name: control.default for name, control in Patch.controls.items()}
NAMES = ("clean", "corrupted", "answer", "wrong")
LONG = "The cat sat on the mat and saw a big dog. " * 71  # 3,000 characters


class Truth:
    """Every cell of a state as a whole run of the corrupted text, and both texts' own runs."""

    def __init__(self, state: Patch, cell: patching.Cell):
        lm = tlmviz.load(state.model)
        ids = [lm.encode(text) for text in (state.clean, state.corrupted)]
        self.task = task = patching.Task(
            *patching.read_both(lm, *ids),
            *(  # what is typed, else what the text makes the model expect
                int(lm.trace(text).logits[-1].argmax()) if typed is None else patching.answer_id(lm, state.clean, typed)
                for text, typed in ((state.clean, state.answer), (state.corrupted, state.wrong))
            ),
        )
        self.answers = [readable(lm.tokenizer.name(each)) for each in (task.answer, task.wrong)]
        self.state, self.count, self.cell = state, len(task.clean), (cell.layer, cell.index)
        a, b = task.answer, task.wrong
        self.gaps = [float(trace.logits[-1, a] - trace.logits[-1, b]) for trace in (task.corrupted, task.clean)]
        self.lm = lm
        columns = self.count if state.kind in patching.POSITION_KINDS else task.clean.n_heads
        self.grid = np.array(
            [
                [self.run(patching.Cell(state.kind, layer, i)) for i in range(columns)]
                for layer in range(task.clean.n_layers)
            ]
        )
        pairs = zip(task.clean.tokens, task.corrupted.tokens)
        self.exchanged = [i for i, (one, other) in enumerate(pairs) if one != other]

    def run(self, *cells: patching.Cell) -> float:
        logits: Tensor = patching.patched_trace(self.lm, self.task, cells).logits[-1].double()
        gap = float(logits[self.task.answer] - logits[self.task.wrong])
        return (gap - self.gaps[0]) / (self.gaps[1] - self.gaps[0])

    @property
    def compares(self) -> bool:
        """Whether shares may be said: the clean run prefers the answer, and by a logit more than the corrupted one."""
        corrupted, clean = self.gaps
        return clean > 0 and clean - corrupted >= 1

    @property
    def heads(self) -> bool:
        return self.state.kind in patching.HEAD_KINDS

    @property
    def resid(self) -> bool:
        return self.state.kind == "resid"

    @cached_property
    def halves(self) -> tuple[float, ...]:
        """What a head brings back by what it writes, its pattern and its values."""
        return tuple(self.run(patching.Cell(kind, *self.cell)) for kind in ("z", "pattern", "v")) if self.heads else ()

    @cached_property
    def preview(self) -> tuple[int, int, float]:
        """Where the first order is furthest off, and what it guesses there."""
        guess = patching.patch_preview(self.lm, self.task, self.state.kind).numpy()
        layer, index = divmod(int(np.abs(guess - self.grid).argmax()), guess.shape[1])
        return layer, index, float(guess[layer, index])

    @cached_property
    def chain(self) -> tuple[float, ...]:
        """What a chain brings back together, and its patches one by one."""
        cells = [patching.Cell(*place) for place in self.state.chain if self.fits(*place)]
        return (self.run(*cells), *map(self.run, cells)) if len(cells) > 1 else ()

    def fits(self, kind: str, layer: int, index: int) -> bool:
        count = self.task.clean.n_heads if kind in patching.HEAD_KINDS else self.count
        return layer < self.task.clean.n_layers and index < count

    @property
    def unsure(self) -> bool:
        """So near to where a written number changes that the order of summing decides."""
        sums = (self.chain[0], sum(self.chain[1:])) if self.chain else ()
        every = *self.grid.ravel(), *self.halves, self.preview[2], *sums
        return any(abs(100 * value - round(100 * value)) > 0.49 for value in every)

    @property
    def points(self) -> list[int]:
        return sorted((round(100 * value) for value in self.grid.ravel()), reverse=True)

    def token(self, at: int) -> str:
        return f"“{plain(readable(self.task.clean.tokens[at]))}” ({at})"

    def place(self, layer: int, index: int) -> tuple:
        return (f"L{layer}H{index}",) if self.heads else (layer, self.token(index))


def written(value: float) -> str:
    return f"{round(100 * value)}%".replace("-", "−")


def quoted(name: str) -> str:
    return f"“{plain(name)}”"


def _no_share(t: Truth):
    if t.compares:
        return None
    (corrupted, clean), (answer, wrong) = t.gaps, map(quoted, t.answers)
    leads = [(*((answer, wrong) if gap >= 0 else (wrong, answer)), f"{abs(gap):.2f}") for gap in (clean, corrupted)]
    apart = f"{abs(clean - corrupted):.2f}"
    why = (apart, wrong) if clean <= corrupted else (answer,) if clean <= 0 else (apart, "1")
    return *leads[0], *leads[1], *why


def _carried(t: Truth):
    single = len(t.exchanged) == 1 and t.exchanged[0] < t.count - 1
    if not (t.resid and t.compares and single) or round(100 * t.grid[-1, -1]) < 1:
        return None
    column = [written(value) == "100%" for value in t.grid[:, t.exchanged[0]]]
    if not column[0]:
        return None
    last = column.index(False) - 1 if False in column else len(column) - 1
    return t.token(t.exchanged[0]), last, len(column) - 1, t.token(t.count - 1), written(t.grid[-1, -1])


def _at_the_end(t: Truth):
    if not t.resid or not t.compares or _carried(t):
        return None
    return t.token(t.count - 1), written(t.grid[0, -1]), len(t.grid) - 1, written(t.grid[-1, -1])


def _one_part(t: Truth):
    best, second = t.points[0], t.points[min(1, len(t.points) - 1)]
    if t.resid or not t.compares or best < 1 or best == second:
        return None
    place = t.place(*divmod(int(t.grid.argmax()), t.grid.shape[1]))
    return *place, f"{best}%", quoted(t.answers[0]), t.grid.size, written(second / 100)


def _several(t: Truth):
    if t.resid or not t.compares or t.points[0] < 1 or _one_part(t):
        return None
    return t.points.count(t.points[0]), f"{t.points[0]}%", quoted(t.answers[0])


def _nothing(t: Truth):
    if t.resid or not t.compares or t.points[0] >= 1:
        return None
    return quoted(t.answers[0]), t.grid.size, written(t.points[0] / 100)


def _halves(t: Truth):
    if not t.halves or not t.compares:
        return None
    whole, look, value = t.halves
    if round(100 * whole) < 5 or written(look) == written(value):
        return None
    parts = (written(value), written(look)) if value > look else (written(look), written(value))
    return f"L{t.cell[0]}H{t.cell[1]}", *parts


def _together(t: Truth):
    if not t.chain or not t.compares:
        return None
    return written(t.chain[0]), len(t.chain) - 1, written(sum(t.chain[1:]))


def _off(t: Truth):
    layer, index, guess = t.preview
    if not t.compares or written(guess) == written(t.grid[layer, index]):
        return None
    return *t.place(layer, index), written(guess), written(t.grid[layer, index])


PLAIN = {
    "no_share": _no_share,
    "guessed": lambda t: None,  # small models are run at once
    "carried": _carried,
    "at_the_end": _at_the_end,
    "one_part": _one_part,
    "several": _several,
    "nothing": _nothing,
    "look_or_value": _halves,
    "together": _together,
    "off_the_preview": _off,
}


def check_words(shown: data.Data, truth: Truth) -> None:
    """What the sentences say of the numbers."""
    assert shown.answers == tuple(truth.answers)
    corrupted, clean = truth.gaps
    if said := claims.no_share(shown):
        assert ("the other way round" in said) == (clean <= corrupted)
        assert ("no answer to bring back" in said) == (corrupted < clean <= 0)
        made = [claim for claim in claims.CLAIMS if claim(shown)]
        assert made == [claims.no_share]
    if said := claims.look_or_value(shown):
        assert ("What it finds counts more" in said) == (truth.halves[2] > truth.halves[1])


CAT, DOG = "Tom saw a cat. The cat ran to the", "Tom saw a dog. The dog ran to the"
OWN = [
    (*STORIES["A girl or a boy"], None, None, "resid"),
    (*STORIES["So he"], None, None, "z"),
    ("The boy was sad, so", "The girl was glad, so", None, None, "resid"),
    (CAT, DOG, "ball", "hat", "z"),
    (CAT, DOG, "ball", None, "attn"),
    (CAT, DOG, None, None, "v"),
    ("Un chat 😀 dort. Un", "Un chat 😀 sort. Un", "dog", "cat", "z"),
    ("cat", "dog", "was", "is", "attn"),
    ("cat", "dog", "was", "is", "resid"),
    (STORIES["So he"][1], STORIES["So he"][0], "he", "she", "mlp"),  # the other way round
    (LONG[:400], LONG[:400].replace("cat sat", "dog sat", 1), "The", "A", "z"),
    ("It is red. Tom saw a big", "It is big. Tom saw a big", "dog", "cat", "pattern"),
]


def test_every_claim_is_what_the_runs_say_and_silent_elsewhere():
    found = []
    given = {"model": MODEL, "answer": "ball", "wrong": "hat"} | {name: START[name] for name in NAMES[:2]}
    chain = (("z", 1, 0), ("z", 0, 1))
    own = [
        Patch(**{**START, "model": model, "kind": kind, **dict(zip(NAMES, texts)), "chain": chain})
        for *texts, kind in OWN
        for model in (MODEL, "stories-rope")
    ]
    for state in [*states(Patch, given), *own]:
        shown = data.Data(state)
        try:
            truth = Truth(state, shown.cell)
        except BadText:
            continue
        check_words(shown, truth)
        if not truth.unsure:
            found.append(agree(claims.CLAIMS, PLAIN, shown, truth))
    assert len(found) > 12
    for each in found:  # those have tests of their own
        del each["guessed"], each["several"], each["nothing"]
    each_speaks_and_is_silent(found)


def test_the_preview_is_called_a_guess(monkeypatch):
    monkeypatch.setattr(data, "AT_ONCE", -1.0)
    data.Data.job.clear()
    state = Patch(**{**START, "model": "stories-rope"})
    shown = data.Data(state)
    guess = patching.patch_preview(shown.lm, shown.task, "z").numpy()
    layer, head = divmod(int(guess.argmax()), guess.shape[1])
    said = claims.guessed(shown)
    assert f"what L{layer}H{head} writes" in said and said.endswith(
        f"about {written(guess.max())} of the answer “ball”."
    )
    for claim in (claims.one_part, claims.several, claims.nothing, claims.off_the_preview):
        assert claim(shown) is None
    data.Data.job.clear()


def test_parts_that_bring_back_the_same_are_counted(monkeypatch):
    shown = data.Data(Patch(**{**START, "model": "stories-rope"}))
    tied = np.zeros_like(shown.job.grid)
    tied[0, :3] = 0.251, 0.249, 0.25
    monkeypatch.setattr(shown.job, "grid", tied)
    assert claims.several(shown).startswith("3 parts bring back 25% of the answer “ball” each")
    assert claims.one_part(shown) is None and claims.nothing(shown) is None
    monkeypatch.setattr(shown.job, "grid", tied - 0.5)
    columns = tied.size
    assert claims.nothing(shown) == f"No part alone brings the answer “ball” back: the best of {columns} brings −25%."
    assert claims.one_part(shown) is None and claims.several(shown) is None


def test_3000_characters_are_refused_in_a_sentence():
    with pytest.raises(BadText, match="reads at most"):
        data.Data(Patch(**{**START, "model": MODEL, "clean": LONG, "corrupted": LONG})).task  # noqa: B018


def test_the_page_opens_on_its_claim():
    said = claims.one_part(data.Data(Patch(**{**START, "model": "stories-rope"})))
    assert said == (
        "Take only what L5H0 writes from the clean run, and 54% of the answer “ball” comes back; no other head of 36 "
        "brings back more than 17%."
    )


def test_two_texts_behind_which_the_same_word_is_expected_are_one_sentence():
    texts = "Lily had a red ball. One day, Lily lost the red", "Tom had a red ball. One day, Tom lost the red"
    state = Patch(**{**START, "model": "stories-rope", **dict(zip(NAMES, texts))})
    guesses = {tlmviz.load("stories-rope").trace(text).logits[-1].argmax().item() for text in texts}
    assert len(guesses) == 1
    with pytest.raises(BadText, match="Both texts make the model expect “ball” next, so there is nothing to patch"):
        data.Data(state).task  # noqa: B018
    assert data.Data(state).expected == ("", "")


@pytest.mark.parametrize("model", ["stories-rope", "stories-gpt", "zoo-rope", "zoo-mqa", "zoo-none"])
def test_every_model_opens_on_texts_that_it_tells_apart(model):
    texts = data.Data.opening(model)
    lm = tlmviz.load(model)
    expected = data.Data(Patch(**{**START, "model": model, **dict(zip(NAMES, texts))})).expected
    names = [readable(lm.tokenizer.name(int(lm.trace(text).logits[-1].argmax()))) for text in texts]
    assert tuple(names) == expected and len(set(names)) == 2

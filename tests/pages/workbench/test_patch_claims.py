"""What the page Patch claims, held against runs that are patched plainly, one at a time."""

import numpy as np
import pytest
from torch import Tensor

import tlmviz
from pages.workbench.patch import claims, data
from pages.workbench.patch.examples import STORIES
from pages.workbench.patch.state import Patch
from tests.pages.states import each_speaks_and_is_silent, states
from tlmviz.analysis.workbench import patching
from tlmviz.errors import BadText
from tlmviz.figures import readable

MODEL = "zoo-rope"
START = {name: control.default for name, control in Patch.controls.items()}
NAMES = ("clean", "corrupted", "answer", "wrong")
LONG = "The cat sat on the mat and saw a big dog. " * 71  # 3,000 characters


class Truth:
    """Every cell of a state as a whole run of the corrupted text, and both texts' own runs."""

    def __init__(self, state: Patch):
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
        self.state, self.count = state, len(task.clean)
        a, b = task.answer, task.wrong
        self.gaps = [float(trace.logits[-1, a] - trace.logits[-1, b]) for trace in (task.corrupted, task.clean)]
        self.shares = [float(trace.logits[-1].double().softmax(-1)[a]) for trace in (task.corrupted, task.clean)]
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


def written(value: float) -> str:
    return f"{round(100 * value)}%".replace("-", "−")


def near(value: float) -> bool:
    """So near to where its written number changes that the order of summing decides."""
    return abs(100 * value - round(100 * value)) > 0.49


def check(shown: data.Data, truth: Truth) -> dict[str, bool]:
    """Every claim against the truth; which are shown."""
    said = {claim.__name__: claim(shown) for claim in claims.CLAIMS}
    grid, state = truth.grid, truth.state
    points = sorted((round(100 * value) for value in grid.ravel()), reverse=True)
    resid = state.kind == "resid"
    assert said["guessed"] is None, "small models are run at once"
    assert shown.answers == tuple(truth.answers)
    compares = check_share(said, truth)
    single = len(truth.exchanged) == 1 and truth.exchanged[0] < truth.count - 1
    if any(near(value) for value in grid.ravel()):
        return {}
    carried = (
        resid
        and single
        and written(grid[0, truth.exchanged[0]]) == "100%"
        and round(100 * grid[-1, -1]) >= 1
        and compares
    )
    assert bool(said["carried"]) == carried
    if carried:
        column = [written(value) == "100%" for value in grid[:, truth.exchanged[0]]]
        last = column.index(False) - 1 if False in column else len(column) - 1
        assert f"up to layer {last};" in said["carried"]
        assert f"brings back {written(grid[-1, -1])}:" in said["carried"]
        assert f"({truth.exchanged[0]})" in said["carried"] and f"({truth.count - 1})" in said["carried"]
    assert bool(said["at_the_end"]) == (resid and not carried and compares)
    if said["at_the_end"]:
        assert f"brings back {written(grid[0, -1])}, " in said["at_the_end"]
        assert said["at_the_end"].endswith(f" {written(grid[-1, -1])}.")
    assert bool(said["nothing"]) == (not resid and points[0] < 1 and compares)
    assert bool(said["several"]) == (not resid and compares and points[0] >= 1 and points[0] == points[1])
    assert bool(said["one_part"]) == (not resid and compares and points[0] >= 1 and points[0] > points[1])
    if said["one_part"]:
        layer, index = divmod(int(grid.argmax()), grid.shape[1])
        heads = state.kind in patching.HEAD_KINDS
        place = f"L{layer}H{index} " if heads else f"({index})"
        assert place in said["one_part"] and (heads or f"layer {layer} at" in said["one_part"])
        assert f"and {points[0]}% of the answer" in said["one_part"]
        assert said["one_part"].endswith(f"of {grid.size} brings back more than {points[1]}%.".replace("-", "−"))
    if said["several"]:
        assert said["several"].startswith(f"{points.count(points[0])} parts bring back {points[0]}%")
    if said["nothing"]:
        assert said["nothing"].endswith(f"of {grid.size} brings {points[0]}%.".replace("-", "−"))
    check_runs(said, shown, truth, compares)
    return {name: text is not None for name, text in said.items()}


def check_share(said: dict, truth: Truth) -> bool:
    """Whether shares may be said: the clean run prefers the answer, and by a logit more than the corrupted one."""
    corrupted, clean = truth.gaps
    compares = clean > 0 and clean - corrupted >= 1
    assert bool(said["no_share"]) == (not compares)
    if not compares:
        parts = {name: said[name] for name in said if name not in ("no_share", "decided")}
        assert not any(parts.values()), parts
        told = said["no_share"].replace("\\", "").replace("−", "-")
        answer, wrong = truth.answers
        for gap, text in ((clean, "After the clean text"), (corrupted, "after the corrupted one")):
            ahead, behind = (answer, wrong) if gap >= 0 else (wrong, answer)
            assert f"{text} “{ahead}” leads “{behind}” by {abs(gap):.2f} logits" in told
        assert ("the other way round" in told) == (clean <= corrupted)
        assert ("no answer to bring back" in told) == (corrupted < clean <= 0)
        assert (f"differ by {clean - corrupted:.2f} logits; of less than 1 " in told) == (
            clean > 0 and clean > corrupted
        )
    return compares


def check_runs(said: dict, shown: data.Data, truth: Truth, compares: bool) -> None:
    """The claims on both texts, on a head's halves, on the chain, and on the preview."""
    assert f"gets {truth.shares[1]:.1%}, after the corrupted one {truth.shares[0]:.1%}." in said["decided"]
    if not compares:
        return
    cell = shown.cell
    if truth.state.kind in patching.HEAD_KINDS:
        z, look, value = (truth.run(patching.Cell(kind, cell.layer, cell.index)) for kind in ("z", "pattern", "v"))
        if not any(map(near, (z, look, value))):
            halves = round(100 * z) >= 5 and written(look) != written(value)
            assert bool(said["look_or_value"]) == halves
            if halves:
                assert f"values alone bring back {written(value)}" in said["look_or_value"] or (
                    f"values alone {written(value)}" in said["look_or_value"]
                )
                assert ("What it finds counts more" in said["look_or_value"]) == (value > look)
    else:
        assert said["look_or_value"] is None
    cells = [patching.Cell(*place) for place in truth.state.chain if shown.fits(patching.Cell(*place))]
    assert bool(said["together"]) == (len(cells) > 1)
    if said["together"]:
        whole, alone = truth.run(*cells), sum(truth.run(each) for each in cells)
        if not near(whole) and not near(alone):
            assert f"brings back {written(whole)} in one run" in said["together"]
            assert said["together"].endswith(f"sum to {written(alone)}.")
    guess = patching.patch_preview(truth.lm, truth.task, truth.state.kind).numpy()
    layer, index = divmod(int(np.abs(guess - truth.grid).argmax()), guess.shape[1])
    if not near(guess[layer, index]):
        off = written(guess[layer, index]) != written(truth.grid[layer, index])
        assert bool(said["off_the_preview"]) == off
        if off:
            ends = f"guesses {written(guess[layer, index])}, and the run gives {written(truth.grid[layer, index])}."
            assert said["off_the_preview"].endswith(ends)


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
        try:
            shown = data.compute(state)
        except BadText:
            continue
        found.append(check(shown, Truth(state)))
    found = [each for each in found if each]
    assert len(found) > 12
    for each in found:  # those have tests of their own, and what both texts make of the answer is always said
        del each["guessed"], each["several"], each["nothing"], each["decided"]
    each_speaks_and_is_silent(found)


def test_the_preview_is_called_a_guess(monkeypatch):
    monkeypatch.setattr(data, "AT_ONCE", -1.0)
    data._exact.clear()
    state = Patch(**{**START, "model": "stories-rope"})
    shown = data.compute(state)
    guess = patching.patch_preview(shown.lm, shown.task, "z").numpy()
    layer, head = divmod(int(guess.argmax()), guess.shape[1])
    said = claims.guessed(shown)
    assert f"what L{layer}H{head} writes" in said and said.endswith(
        f"about {written(guess.max())} of the answer “ball”."
    )
    for claim in (claims.one_part, claims.several, claims.nothing, claims.off_the_preview):
        assert claim(shown) is None
    data._exact.clear()


def test_parts_that_bring_back_the_same_are_counted(monkeypatch):
    shown = data.compute(Patch(**{**START, "model": "stories-rope"}))
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
        data.compute(Patch(**{**START, "model": MODEL, "clean": LONG, "corrupted": LONG}))


def test_the_page_opens_on_its_claim():
    said = claims.one_part(data.compute(Patch(**{**START, "model": "stories-rope"})))
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
        data.compute(state)
    assert data.expected("stories-rope", *texts) == ("", "")


@pytest.mark.parametrize("model", ["stories-rope", "stories-gpt", "zoo-rope", "zoo-mqa", "zoo-none"])
def test_every_model_opens_on_texts_that_it_tells_apart(model):
    texts = data.opening(model)
    lm = tlmviz.load(model)
    names = [readable(lm.tokenizer.name(int(lm.trace(text).logits[-1].argmax()))) for text in texts]
    assert tuple(names) == data.expected(model, *texts) and len(set(names)) == 2

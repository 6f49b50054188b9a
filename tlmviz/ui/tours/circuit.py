"""The tour "From one head to a circuit": a head that looks at the right word, the head that it needs, and which of all matter."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from torch import Tensor

from tlmviz.analysis.attention.interventions import mute_heads
from tlmviz.analysis.workbench import patching
from tlmviz.analysis.workbench.patching import Cell
from tlmviz.figures.written import number

from .. import compute
from .measures import largest, looked_at, nearest
from .parts import Measured, Question, Step, Tour

MODEL = "stories-induction"
TEXT = "Tom had a red ball. Anna had a blue hat. Tom lost the red"
SWAPPED = "Tom had a blue ball. Anna had a red hat. Tom lost the red"
ANSWER, WRONG = "ball", "hat"
LAST, FIRST_RED, BALL, BLUE, HAT = 16, 4, 5, 10, 11  # positions in TEXT
FINDER, ONE_BACK = (3, 2), (2, 0)  # heads
SOURCES = ("L2H0", "MLP 0", "L1H3", "L0H0")  # of the key
WRITERS = ((2, 0), (3, 1), (3, 2), (1, 3))
READERS = ((3, 1), (3, 2), (3, 6), (3, 4))
TOGETHER = ((3, 1), (3, 3), (3, 5))
PATCH = {"model": MODEL, "ptclean": TEXT, "ptcorr": SWAPPED, "ptans": ANSWER, "ptwrong": WRONG}


def _named(head: tuple[int, int]) -> str:
    return "L{}H{}".format(*head)


@functools.cache
def _task() -> patching.Task:
    lm = compute.model(MODEL)
    return compute.run_in_worker(lambda: patching.task_of(lm, TEXT, SWAPPED, ANSWER, WRONG))


def _grid(kind: str) -> Tensor:
    lm, task = compute.model(MODEL), _task()
    return compute.run_in_worker(lambda: patching.patch_grid(lm, task, kind))


def _key_of() -> Measured:
    """Which of some sources gives most to the score through what it wrote into the key."""
    lm = compute.model(MODEL)
    found = compute.run_in_worker(lambda: lm.explain(TEXT, *FINDER, query=LAST, key=BALL))
    columns = [float(found.scores[:, found.names.index(name)].sum()) for name in SOURCES]
    said = ", ".join(f"{name} {number(share, '+.2f')}" for name, share in zip(SOURCES, columns))
    return Measured(largest(columns), f"of the score {number(found.score, '.2f')}, {said}.")


def _without() -> Measured:
    """What is left of the probability of the ball without the head that looks one back."""
    lm = compute.model(MODEL)
    ball = lm.encode(f" {ANSWER}")[-1]
    before = float(compute.trace(MODEL, TEXT).probabilities()[ball])
    muted = compute.run_in_worker(lambda: lm.trace(TEXT, edit=mute_heads([ONE_BACK])).probabilities())
    after = float(muted[ball])
    said = f"“ball” falls from {number(before, '.1%')} to {number(after, '.1%')}."
    return Measured(nearest(after / before, (0.9, 0.5, 0.01)), said)


def _carries() -> Measured:
    """Where the last layer finds what tells the two texts apart: at the colours, at the things, or at the last word."""
    row = _grid("resid")[-1]
    places = ((FIRST_RED, BLUE), (BALL, HAT), (LAST,))
    found = [sum(float(row[at]) for at in each) for each in places]
    said = ", ".join(
        f"{name} {number(share, '.0%')}"
        for name, share in zip(("the colours", "“ball” and “hat”", "the last “red”"), found)
    )
    return Measured(largest(found), f"what layer 3 reads there brings back, summed, {said}.")


def _most(kind: str, heads: Sequence[tuple[int, int]]) -> Measured:
    grid = _grid(kind)
    found = [float(grid[head]) for head in heads]
    said = ", ".join(f"{_named(head)} {number(share, '.0%')}" for head, share in zip(heads, found))
    return Measured(largest(found), f"brought back alone: {said}.")


def _together() -> Measured:
    """What the looks of three heads of the last layer bring back in one run."""
    lm, task = compute.model(MODEL), _task()
    cells = [Cell("pattern", *head) for head in TOGETHER]
    patched = compute.run_in_worker(lambda: patching.patched_trace(lm, task, cells))
    share = float(task.restored(patched.logits_at(-1)))
    alone = float(_grid("z")[ONE_BACK])
    said = f"the three looks together bring back {number(share, '.0%')}, what L2H0 writes {number(alone, '.0%')}."
    return Measured(nearest(share, (0.3, 0.6, 0.95)), said)


TOUR = Tour(
    "circuit",
    "From one head to a circuit",
    "A head looks at the right word. Which head told it where, is it needed, and do other heads do the same? From one map to "
    "all that works together.",
    (
        Step(
            "explorer",
            "One head",
            "Tom had a red ball, Anna a blue hat, and Tom lost the red. The large map is head 2 of layer 3; the framed row is "
            "the last word.",
            ".st-key-attention",
            {"model": MODEL, "text": TEXT, "head": "{}.{}".format(*FINDER), "query": str(LAST)},
            Question(
                "Where does the last “red” look, in this head?",
                ("the first “red”", "“ball”", "“hat”"),
                looked_at(
                    TEXT, FINDER, LAST, {"the first “red”": FIRST_RED, "“ball”": BALL, "“hat”": HAT}, MODEL
                ),
            ),
        ),
        Step(
            "explorer",
            "A head one layer below",
            "“ball” can be found only if it knows which colour it had. This is head 0 of layer 2, with the row of “ball” framed.",
            ".st-key-attention",
            {"model": MODEL, "text": TEXT, "head": "{}.{}".format(*ONE_BACK), "query": str(BALL)},
            Question(
                "What does “ball” read in this head?",
                ("“Tom”", "“red”", "itself"),
                looked_at(TEXT, ONE_BACK, BALL, {"“Tom”": 1, "“red”": FIRST_RED, "itself": BALL}, MODEL),
            ),
        ),
        Step(
            "why",
            "Does one use the other?",
            "The score that the last “red” gives “ball” in L3H2, taken apart: a row for every source of the query, a column "
            "for every source of the key.",
            ".st-key-why-view",
            {
                "model": MODEL,
                "text": TEXT,
                "head": "{}.{}".format(*FINDER),
                "query": str(LAST),
                "key": str(BALL),
            },
            Question("Whose column gives the score most?", SOURCES, _key_of),
        ),
        Step(
            "explorer",
            "Take it out",
            "Head 0 of layer 2 is muted: its output is zero, and the rest runs as before. The panel compares what comes next.",
            ".st-key-closer",
            {
                "model": MODEL,
                "text": TEXT,
                "head": "{}.{}".format(*FINDER),
                "query": str(LAST),
                "mute": "{}.{}".format(*ONE_BACK),
                "panel": "Mute heads",
            },
            Question(
                "What is left of the probability of “ball”?",
                ("nearly all of it", "half", "hardly anything"),
                _without,
            ),
        ),
        Step(
            "patch",
            "Swap the colours",
            "Muting breaks everything that the head does. So run a second text, in which only the colours are swapped, and put "
            "parts of the first run into it: here what each layer reads at each token.",
            ".st-key-patch-view",
            {**PATCH, "ptkind": "Residual"},
            Question(
                "Where does the last layer, 3, find what tells the texts apart?",
                ("at the colours", "at “ball” and “hat”", "at the last “red”"),
                _carries,
            ),
        ),
        Step(
            "patch",
            "Who carried it there",
            "Now what each head writes, one head at a time. 100% is the answer of the first text, brought back whole; 0% is that "
            "of the swapped one.",
            ".st-key-patch-view",
            PATCH,
            Question(
                "Which head alone brings most of “ball” back?",
                tuple(map(_named, WRITERS)),
                functools.partial(_most, "z", WRITERS),
            ),
        ),
        Step(
            "patch",
            "To look is not to matter",
            "What is put back now is only where each head looks. Remember L3H2, which gave “ball” most of its weight.",
            ".st-key-patch-view",
            {**PATCH, "ptkind": "Pattern"},
            Question(
                "Whose look brings most of “ball” back?",
                tuple(map(_named, READERS)),
                functools.partial(_most, "pattern", READERS),
            ),
        ),
        Step(
            "patch",
            "The circuit",
            "Several heads of layer 3 look for the colour. The chain puts the looks of three of them back in one run.",
            ".st-key-patch-runs",
            {
                **PATCH,
                "ptkind": "Pattern",
                "ptchain": ",".join("pattern.{}.{}".format(*head) for head in TOGETHER),
            },
            Question(
                "How much of “ball” do three looks bring back together?",
                ("a third", "some 60%", "nearly all"),
                _together,
            ),
        ),
    ),
)

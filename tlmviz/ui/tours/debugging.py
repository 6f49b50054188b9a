"""The tour "Debug a head": two runs that part, the head that moved, the part that matters, and the reason."""

from __future__ import annotations

import functools

from tlmviz.analysis.attention.interventions import mute_heads
from tlmviz.analysis.workbench import comparing, following, patching
from tlmviz.figures.written import number

from .. import compute
from .measures import largest, looked_at, nearest, story, story_trace, token
from .parts import Measured, Question, Step, Tour

CLEAN = "Lily had a red ball. One day, Lily lost the red"
CORRUPTED = "Lily had a red hat. One day, Lily lost the red"
HEADS = ((5, 0), (5, 3), (4, 2), (2, 0))
LAST, BALL, FIRST_RED = 13, 5, 4  # positions in CLEAN


@functools.cache
def _task() -> patching.Task:
    lm = story()
    return compute.run_in_worker(lambda: patching.task_of(lm, CLEAN, CORRUPTED))


def _falls() -> Measured:
    ball = token(" ball")
    before, after = (float(story_trace(text).probabilities()[ball]) for text in (CLEAN, CORRUPTED))
    said = f"from {number(before, '.0%')} to {number(after, '.0%')}."
    return Measured(nearest(after / before, (1, 0.5, 0.05)), f"“ball” falls {said}")


def _moved() -> Measured:
    a, b = story_trace(CLEAN), story_trace(CORRUPTED)
    moved = compute.run_in_worker(lambda: comparing.Comparison(a, b).heads)
    far = [
        float(moved[(moved.layer == layer) & (moved["head"] == head)].moved.iloc[0]) for layer, head in HEADS
    ]
    said = ", ".join(f"L{layer}H{head} {number(each, '.2f')}" for (layer, head), each in zip(HEADS, far))
    return Measured(largest(far), f"how far each moved: {said}.")


def _grid(kind: str) -> list[float]:
    lm, task = story(), _task()
    grid = compute.run_in_worker(lambda: patching.patch_grid(lm, task, kind))
    return [round(float(grid[head]), 3) + 0.0 for head in HEADS]  # no −0


def _restores() -> Measured:
    found = _grid("z")
    said = ", ".join(f"L{layer}H{head} {number(each, '.0%')}" for (layer, head), each in zip(HEADS, found))
    return Measured(largest(found), f"brought back alone: {said}.")


def _look_or_word() -> Measured:
    pattern, value = _grid("pattern")[0], _grid("v")[0]
    said = f"L5H0's pattern brings back {number(pattern, '.0%')}, its values {number(value, '.0%')}."
    return Measured(0 if pattern > value else 1, said)


def _source() -> Measured:
    lm, trace = story(), story_trace(CLEAN)
    back = compute.run_in_worker(lambda: following.follow(trace, "L4H2", BALL))
    weight = float(trace.attention(4, 2, rows=slice(BALL, BALL + 1))[0, back.key])
    name = trace.tokens[back.key].strip()
    said = f"at “ball” L4H2 gives “{name}” {number(weight, '.0%')} of its weight."
    del lm
    return Measured({"a": 0, "red": 1, "ball": 2}.get(name, 0), said)


def _share(heads: tuple[tuple[int, int], ...]) -> float:
    lm = story()
    muted = compute.run_in_worker(lambda: lm.trace(CLEAN, edit=mute_heads(list(heads))).probabilities())
    return float(muted[token(" ball")])


def _without() -> Measured:
    before, after = float(story_trace(CLEAN).probabilities()[token(" ball")]), _share(((5, 0),))
    said = f"“ball” goes from {number(before, '.0%')} to {number(after, '.0%')}: other heads find it too."
    return Measured(nearest(after / before, (0.9, 0.5, 0.1)), said)


TOUR = Tour(
    "debug",
    "Debug a head",
    "A prediction changes with one word. Which part of the network carries the change, where does it look, and what does it "
    "write?",
    (
        Step(
            "compare",
            "Two runs that part",
            "The same story, once with a ball and once with a hat. Maps are subtracted cell by cell; the table says where "
            "predictions "
            "part.",
            ".st-key-compare-view",
            {},
            Question(
                "Eight words later: what is left of the guess “ball”?",
                ("all of it", "half", "next to nothing"),
                _falls,
            ),
        ),
        Step(
            "compare",
            "Who moved",
            "Heads are coloured by how far their map moved. A head that moves is not yet a head that matters: it may look "
            "elsewhere and "
            "change nothing.",
            ".st-key-compare-view",
            {"cmphead": "2.0"},
            Question("Which of these heads' maps moved most?", ("5.0", "5.3", "4.2", "2.0"), _moved),
        ),
        Step(
            "patch",
            "Who matters",
            "Now each head's output of the clean run is put into the corrupted one, one at a time. 1 is the clean answer "
            "brought back "
            "whole, 0 nothing.",
            ".st-key-patch-view",
            {},
            Question("Which head alone brings most of “ball” back?", ("5.0", "5.3", "4.2", "2.0"), _restores),
        ),
        Step(
            "patch",
            "Look or word",
            "A head has two halves: where it looks, and what it hands on from there. Patched apart, they say which of them "
            "changed.",
            ".st-key-patch-view",
            {"ptkind": "v"},
            Question(
                "What brings the ball back in L5H0?",
                ("where it looks", "what it hands on"),
                _look_or_word,
            ),
        ),
        Step(
            "explorer",
            "Where it looks",
            "Head 0 of layer 5 on the clean text, its last row framed. The heat is the share of its weight, and it is worth "
            "reading "
            "before believing any story.",
            ".st-key-attention",
            {"text": CLEAN, "head": "5.0", "query": str(LAST)},
            Question(
                "Which word does the last “red” look at?",
                ("the first “red”", "“ball”", "“Lily”"),
                looked_at(CLEAN, (5, 0), LAST, {"the first “red”": FIRST_RED, "“ball”": BALL, "“Lily”": 10}),
            ),
        ),
        Step(
            "why",
            "Why it looks there",
            "The score between the last “red” and “ball” as a sum over its sources. Click a head among them to follow it one "
            "step "
            "further back.",
            ".st-key-why-view",
            {"text": CLEAN, "head": "5.0", "query": str(LAST), "key": str(BALL)},
            Question(
                "Follow L4H2, one of the key's sources: what did it read at “ball”?",
                ("“a”", "“red”", "“ball” itself"),
                _source,
            ),
        ),
        Step(
            "explorer",
            "Take it out",
            "The head that mattered is muted. If it were alone in knowing, the prediction would be gone.",
            ".st-key-closer",
            {"text": CLEAN, "head": "5.0", "query": str(LAST), "mute": "5.0", "panel": "Mute heads"},
            Question(
                "How much of “ball” is left without it?",
                ("nine tenths", "half", "a tenth"),
                _without,
            ),
        ),
    ),
)

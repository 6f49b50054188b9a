"""The tour "How a head is born": a training step by step, from even maps to an induction head, and what the loss did then."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tlmviz import monitoring
from tlmviz.checkpoints.folders import run_folders
from tlmviz.figures.written import number

from .measures import largest, likeliest, looked_at, nearest
from .parts import Measured, Question, Step, Tour

MODEL = "stories-induction"
WORDS, LOOKING, HALF = 900, 1350, 1750  # steps that were kept
TEXT = "Tom met Anna at the park. Anna was happy. Tom met"
ANNA, FINDER, LAST = 3, (3, 2), 13  # a position, a head, and the last position
KEYS = {"the first “met”": 2, "the first “Anna”": ANNA, "“park”": 6}


def _best(statistic: str) -> tuple[np.ndarray, np.ndarray, str]:
    """Of the head that comes to the most of a statistic: the steps, its values, and its name."""
    table = monitoring.read(run_folders()[MODEL]).heads
    wide = table.pivot_table(statistic, "step", ["layer", "head"], sort=True)
    layer, head = wide.max().idxmax()
    return wide.index.to_numpy(), wide[layer, head].to_numpy(), f"L{layer}H{head}"


def _share_at(statistic: str, step: int, answers: tuple[float, ...]) -> Callable[[], Measured]:
    """A measure: which of some shares the best head at a step is nearest to."""

    def measure() -> Measured:
        table = monitoring.read(run_folders()[MODEL]).heads
        found = table[table["step"] == step].nlargest(1, statistic).iloc[0]
        said = f"the best of them, L{found['layer']:.0f}H{found['head']:.0f}, has {number(found[statistic], '.0%')}."
        return Measured(nearest(float(found[statistic]), answers), said)

    return measure


def _which_first() -> Measured:
    """Which head has half of its weight in place first: that of the token before, or that of what followed."""
    (steps, previous, one), (_, induction, other) = _best("previous"), _best("induction")
    halves = [int(steps[np.argmax(values >= 0.5)]) for values in (previous, induction)]
    said = (
        f"{one} puts half of its weight on the token before from step {halves[0]:,} on; {other} on what followed from step "
        f"{halves[1]:,} on."
    )
    return Measured(largest([-half for half in halves]), said)


def _how_long() -> Measured:
    """For how many steps the induction head rises from a tenth to nine tenths of what it reaches."""
    steps, values, name = _best("induction")
    most = values.max()
    low, high = (int(steps[np.argmax(values >= share * most)]) for share in (0.1, 0.9))
    said = f"{name} has a tenth of its {number(most, '.0%')} at step {low:,}, nine tenths at step {high:,}."
    return Measured(nearest(high - low, (50, 600, 1300)), said)


def _loss() -> Measured:
    """What is left, over that rise, of the loss on what stood there before."""
    steps, values, _ = _best("induction")
    losses = monitoring.read(run_folders()[MODEL]).losses.set_index("step")["seen before"]
    before, after = (float(losses[steps[np.argmax(values >= share * values.max())]]) for share in (0.1, 0.9))
    said = f"from {number(before, '.2f')} nats per token to {number(after, '.2f')}."
    return Measured(nearest(after / before, (1.0, 0.75, 0.3)), said)


TOUR = Tour(
    "born",
    "How a head is born",
    "No head is built in. One training, step by step: which head comes first, which one needs it, and what does the loss do when "
    "it is there?",
    (
        Step(
            "learning",
            "Nothing is there yet",
            "Thirty-two heads at step 0, before anything was learnt: each spreads its weight evenly over all that it sees.",
            ".st-key-learning-view",
            {"text": TEXT, "lnstep": "0"},
            Question(
                "How much of its weight does any head give to what followed the last time the same word stood there?",
                ("almost nothing", "about a fifth", "most of it"),
                _share_at("induction", 0, (0.01, 0.2, 0.8)),
            ),
        ),
        Step(
            "learning",
            "Words first",
            "Nine hundred steps of stories: the loss of the training has fallen to less than half, and many maps have a pattern.",
            ".st-key-learning-view",
            {"text": TEXT, "lnstep": str(WORDS)},
            Question(
                "And now: how much does the best head give to what followed the last time?",
                ("still almost nothing", "about a fifth", "most of it"),
                _share_at("induction", WORDS, (0.01, 0.2, 0.8)),
            ),
        ),
        Step(
            "explorer",
            "What it expects so far",
            "The same model, at the same step, in the explorer. Tom met Anna before, and now the text says “Tom met” again.",
            ".st-key-predictions",
            {"model": f"{MODEL}@{WORDS}", "text": TEXT, "query": str(LAST)},
            Question(
                "Which word is likeliest to it?",
                ("Anna", "a", "Ben"),
                likeliest(TEXT, (" Anna", " a", " Ben"), f"{MODEL}@{WORDS}"),
            ),
        ),
        Step(
            "learning",
            "One back",
            "From step 900 on most texts repeat themselves. The first head that answers to that looks at the token before, and "
            "at nothing else.",
            ".st-key-learning-view",
            {"text": TEXT, "lnstat": "previous", "lnstep": str(LOOKING)},
            Question(
                "Which comes first, the head that looks one back or the one that looks at what followed?",
                ("the one that looks one back", "the one that looks at what followed"),
                _which_first,
            ),
        ),
        Step(
            "learning",
            "Then the head that needs it",
            "A word that knows the word before it can be found by it: now heads of the last layer learn to look at what followed "
            "the last time. Play it.",
            ".st-key-learning-view",
            {"text": TEXT, "lnstep": str(HALF)},
            Question(
                "How long does it take from a tenth to nine tenths of what it comes to?",
                ("some 50 steps", "some 600 steps", "the whole rest, 1,300 steps"),
                _how_long,
            ),
        ),
        Step(
            "learning",
            "What it is good for",
            "Below the heads is the loss: that of the training, and that on what a text had before.",
            ".st-key-learning-view",
            {"text": TEXT},
            Question(
                "Over the same steps, what becomes of the loss on what the text had before?",
                ("nearly nothing", "it falls by a quarter", "less than a third of it is left"),
                _loss,
            ),
        ),
        Step(
            "explorer",
            "The grown head at work",
            "The finished model on the same sentence, with one of those heads: the framed row is the last “met”.",
            ".st-key-attention",
            {"model": MODEL, "text": TEXT, "head": "{}.{}".format(*FINDER), "query": str(LAST)},
            Question("Where does it look?", tuple(KEYS), looked_at(TEXT, FINDER, LAST, KEYS, MODEL)),
        ),
        Step(
            "train",
            "Once more, in your browser",
            "A smaller network learns the same from random numbers, here and now: first a head that looks one back, then one "
            "that looks for what came after.",
            ".st-key-train-view",
        ),
    ),
)

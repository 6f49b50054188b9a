"""What lesson 14 measures: a guess with weights of few bits, and what becomes of one row of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from tlmviz.analysis.numbers import formats
from tlmviz.analysis.numbers.rounded_model import BOTH, WEIGHTS, Setting, Simulator
from tlmviz.analysis.numbers.scaling import BLOCK, CHANNEL, TENSOR, Scheme, scaled
from tlmviz.analysis.samples import sample_text
from tlmviz.facades.language_model import LanguageModel

from .measures import word

MODEL = "stories-rope"
STORY = "Once upon a time, Anna had a little ball. Ben came to play. Ben wanted the little"
MATRIX = "1.down"  # what it reads from the last word has one loud number
TOP, FLOAT = 127, "e4m3"  # the last step of 8 bits, and the format FP8
NEAR, DOTS, FEW = 6.4, 44, 22  # steps to each side that are drawn, and numbers
ADDED = 100  # ones that are added up
READ = 513  # pieces of stories: over half as many, what 4 bits leave depends on ties, and spreads over 6%


@dataclass(frozen=True)
class Found:
    """The answer's share with all weights in 8 bits, what stories cost in 8 and 4, and what becomes of one row of
    numbers."""

    tokens: list[str]
    best: str
    count: int  # weights that are rounded
    sure: float
    eight: float
    # Share of pieces of stories guessed right: in 32 bits, in 8 and in 4 by what shares a scale.
    right: dict[str, float]
    # Some numbers of one row of weights, as they are kept, and their step.
    weights: tuple[list[float], list[float], float]
    row: list[float]
    # The row as it is kept: under one scale, with narrow steps, for all rows, in blocks, in FP8.
    kept: dict[str, list[float]]
    values: list[float]  # all numbers of FP8 from 0 on
    sums: list[float]  # after each 1 that is added in FP8

    @property
    def loud(self) -> float:
        """The largest number of the row, as a size."""
        return max(map(abs, self.row))

    @property
    def step(self) -> float:
        """What a step is worth under one scale."""
        return self.loud / TOP

    @property
    def near(self) -> list[int]:
        """Numbers of the row near zero, spread over it."""
        every = [n for n, each in enumerate(self.row) if abs(each) < NEAR * self.step]
        return every[:: -(-len(every) // DOTS)]

    def lost(self, how: str) -> float:
        """The share of the row that becomes 0."""
        return sum(each == 0 for each in self.kept[how]) / len(self.row)

    @property
    def coarse(self) -> int:
        """The number that FP8 moves furthest."""
        return max(range(len(self.row)), key=lambda n: abs(self.kept["fp8"][n] - self.row[n]))


def measure(lm: LanguageModel, text: str) -> Found:
    """All of it, in ten passes, of which seven are over stories."""
    sim, ids, seen = Simulator(lm), lm.trace(text).ids, []
    exact = sim.logits(ids)[-1].softmax(-1)
    best = int(exact.argmax())

    eight = float(sim.logits(ids, Setting(Scheme("int8", CHANNEL), WEIGHTS))[-1].softmax(-1)[best])
    stories = torch.tensor(lm.tokenizer.encode(sample_text(), bos=True)[:READ])

    def right(setting: Setting | None) -> float:
        return float((sim.logits(stories.tolist(), setting)[:-1].argmax(-1) == stories[1:]).double().mean())

    schemes = {
        "eight": Scheme("int8"),
        "each": Scheme("int8", CHANNEL),
        "parts": Scheme("int8", BLOCK, 32),
        "four": Scheme("int4"),
        "rows": Scheme("int4", CHANNEL),
        "blocks": Scheme("int4", BLOCK, 32),
    }

    sim.reading(ids, lambda x, matrix: seen.append(x.clone()) if matrix.key == MATRIX else None)
    every, last = seen[0], seen[0][-1:]
    one = Scheme("int8", CHANNEL)
    inner = next(each.weight for each in sim.matrices if each.key == MATRIX)[:1].detach()
    kept = {
        "one": scaled(last, one),
        "narrow": scaled(last, one, 2),
        "all": scaled(every, Scheme("int8", TENSOR)),
        "block": scaled(last, Scheme("int8", BLOCK, 32)),
        "fp8": scaled(last, Scheme(FLOAT, CHANNEL)),
    }
    weight = scaled(inner, one)
    step = float(weight.step)
    some = torch.nonzero(inner[0].abs() < NEAR * step)[:FEW, 0]
    format = formats.find(FLOAT)
    values = formats.decoded(np.arange(TOP), format)  # the last pattern is no number
    sums: list[float] = []
    for _each in range(ADDED):
        sums.append(float(formats.rounded((sums or [0.0])[-1] + 1, format)))
    return Found(
        lm.trace(text).tokens,
        word(lm.tokenizer.name(best)),
        sum(each.weight.numel() for each in sim.matrices),
        float(exact[best]),
        eight,
        {"full": right(None), **{name: right(Setting(scheme, BOTH)) for name, scheme in schemes.items()}},
        (inner[0, some].tolist(), weight.restored[0, some].tolist(), step),
        last[0].tolist(),
        {how: each.restored[-1].tolist() for how, each in kept.items()},
        values.tolist(),
        sums,
    )

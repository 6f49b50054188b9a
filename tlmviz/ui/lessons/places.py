"""What lesson 6 measures: heads without places, with waves and with hands that turn, and guesses far beyond training,
with one hand after another turned more slowly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from tlmviz.analysis.positions import position_schemes, rope_planes, rope_runs
from tlmviz.analysis.samples import sample_text
from tlmviz.facades.language_model import LanguageModel

from .measures import Head, heads_of, row, word, words_at

NONE, WAVES, TURNED = MODELS = "zoo-none", "zoo-sinusoidal", "zoo-rope"
STORY = "Once the dog bit the man. That was"
DOG, BIT, MAN = 3, 4, 6  # places of words, of which dog and man are exchanged
HAND: Head = (2, 0)  # of the model with RoPE: looks at the word before
# Places that the story and a pair of words move, and where the fastest hand has gone around.
AWAY, ON, AGAIN = (64, 10, 7)
READ, BEYOND = 1024, 512  # pieces of stories that are read, and from where on training is far behind
WAVES_AT = 16  # places at which waves are drawn
FAST, SLOW = 0, 16  # numbers of a word to which a fast wave and a slow one are added


@dataclass(frozen=True)
class Found:
    """What heads do with places, all from the last word; and how many pieces a model guesses right, within training and
    beyond."""

    tokens: list[str]
    swapped: list[str]
    plain: Head  # of the first layer of the model without places
    looks: tuple[list[float], list[float]]  # its look, before and after the swap
    query: list[float]  # its query, and keys of words with their scores
    keys: Mapping[int, tuple[list[float], float]]
    waves: Head
    seen: int  # the word for which its look changes most
    moved: tuple[list[float], list[float]]  # its look, at the story's place and further on
    patterns: list[tuple[list[float], list[float]]]  # at the first places and further on: a fast wave, and a slow one
    clocks: list[rope_planes.Clocks]  # of the head with hands
    turns: list[float]  # of each hand within the training length
    context: int
    right: tuple[float, float]  # within the training length and far beyond
    slowed: list[float]  # far beyond, with this hand slowed

    @property
    def zero(self) -> rope_planes.Clocks:
        """The key of the word before the last, from place 0 on."""
        return self.clocks[0]

    @property
    def back(self) -> rope_planes.Clocks:
        """The same key, from place 0 to its own."""
        return self.clocks[1]

    @property
    def on(self) -> rope_planes.Clocks:
        """Both words moved."""
        return self.clocks[2]

    @property
    def slowing(self) -> int:
        """How many times slower, so that a hand meets no new angle in all that is read."""
        return READ // self.context

    @property
    def guilty(self) -> int:
        """The hand that helps most if it is slowed."""
        return max(range(len(self.slowed)), key=self.slowed.__getitem__)

    def hand(self, apart: int) -> tuple[float, float, float]:
        """The key's fastest hand so many places back, what it scores with the query's, and what all hands do."""
        at = len(self.tokens) - 1 - apart
        return angle(self.back.k[at]), float(self.back.parts[at, 0]), float(self.back.scores[at])

    def name(self, place: int) -> str:
        """A word."""
        return word(self.tokens[place])


def angle(of: np.ndarray) -> float:
    """Of the first hand, in degrees."""
    return math.degrees(math.atan2(float(of[0, 1]), float(of[0, 0])))


def measure(models: Mapping[str, LanguageModel], text: str) -> Found:
    """All of it, in some fifteen passes, of which nine are long."""
    none, sin, rope = (models[name] for name in MODELS)
    trace = none.trace(text)
    last = len(trace) - 1
    swapped = [trace.tokens[{DOG: MAN, MAN: DOG}.get(i, i)] for i in range(last + 1)]
    again = none.trace("".join(swapped[1:]))
    apart = {head: row(trace, head)[DOG] - row(trace, head)[MAN] for head in heads_of(trace) if head[0] == 0}
    plain = max(apart, key=apart.__getitem__)
    q, k, _ = trace.qk(*plain)
    keys = {i: (k[i].tolist(), float(q[-1] @ k[i]) * trace.specs[0].scale) for i in (MAN, DOG, BIT)}
    here = sin.trace(text)
    there = sin.trace(text, positions=position_schemes.Shifted(sin.network.positions, AWAY))
    moved = {head: (row(here, head), row(there, head)) for head in heads_of(here)}
    change = {(head, i): abs(a[i] - b[i]) for head, (a, b) in moved.items() for i in words_at(trace.tokens)}
    waves, seen = max(change, key=change.__getitem__)
    speeds = rope_planes.frequencies(rope.config.head_dim, rope_planes.own_base(rope.config))
    added = position_schemes.position_vectors(sin, AWAY + WAVES_AT + 1)
    waving = [added[start + 1 : start + WAVES_AT + 1] for start in (0, AWAY)]
    return Found(
        trace.tokens,
        swapped,
        plain,
        (row(trace, plain), row(again, plain)),
        q[-1].tolist(),
        keys,
        waves,
        seen,
        moved[waves],
        [(each[:, FAST].tolist(), each[:, SLOW].tolist()) for each in waving],
        _clocks(rope, text, last),
        [rope.config.context * speed / (2 * math.pi) for speed in speeds.tolist()],
        rope.config.context,
        *_right(rope),
    )


def _clocks(rope: LanguageModel, text: str, last: int) -> list[rope_planes.Clocks]:
    """The query of the last word and the key of the one before: the key alone moved from place 0, and both moved on."""
    trace, base = rope.trace(text), rope_planes.own_base(rope.config)
    q, k = rope_planes.head_vectors(trace, *HAND, base)
    scale = trace.specs[HAND[0]].scale
    return [
        rope_planes.clocks(q[-1], k[-2], (last, key), base, scale=scale, moves=moves, reach=reach)
        for key, moves, reach in ((0, "key", 3), (last - 1, "key", last), (last - 1, "both", ON))
    ]


def _right(rope: LanguageModel) -> tuple[tuple[float, float], list[float]]:
    """The share of next pieces that are guessed right within the training length and far beyond it, and there with each
    hand slowed so much that it meets no new angle."""
    ids = torch.tensor(rope.tokenizer.encode(sample_text(), bos=True)[:READ])
    config, base = rope.config, rope_planes.own_base(rope.config)

    def hits(positions: rope_runs.OneSlower | None = None) -> torch.Tensor:
        return (rope(ids[None], positions=positions)[0, :-1].argmax(-1) == ids[1:]).double()

    whole = hits()
    slower = [
        rope_runs.OneSlower(config.head_dim, base, plane, READ / config.context)
        for plane in range(config.head_dim // 2)
    ]
    slowed = [float(hits(each)[BEYOND - 1 :].mean()) for each in slower]
    return (float(whole[: config.context - 1].mean()), float(whole[BEYOND - 1 :].mean())), slowed

"""What lesson 6 measures: heads without places, with waves and with hands that turn, and guesses far beyond
training."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from tlmviz.analysis.positions import position_schemes, rope_planes
from tlmviz.analysis.samples import sample_text
from tlmviz.facades.language_model import LanguageModel

from .. import compute
from .measures import NOTER, Head, heads_of, row, shared_out, word, words_at

NONE, WAVES, TURNED, BIASED = ZOO = "zoo-none", "zoo-sinusoidal", "zoo-rope", "zoo-alibi"
MODEL = "stories-rope"
STORY = "Once the dog bit the man. That was"
DOG, MAN = 3, 6  # their places, which they exchange
# Places that the story and a pair of words move, and where the fastest hand has gone around.
AWAY, ON, AGAIN = (64, 10, 7)
READ, BEYOND = 1024, 512  # pieces of stories that are read, and from where on training is far behind
NUMBERS = 32  # of a wave that are drawn


@dataclass(frozen=True)
class Found:
    """What heads do with places, all from the last word; and how many pieces models guess right, within training and
    beyond."""

    tokens: list[str]
    swapped: list[str]
    plain: Head  # of the first layer of the model without places
    looks: tuple[list[float], list[float]]  # its look, before and after the swap
    waves: Head
    seen: int  # the word for which its look changes most
    moved: tuple[list[float], list[float]]  # its look, at the story's place and further on
    patterns: tuple[list[float], list[float]]  # what is added to that word, there and further on
    zero: rope_planes.Clocks  # of the noter: the key of the word before, from place 0 on
    back: rope_planes.Clocks  # the same key, from place 0 to its own
    on: rope_planes.Clocks  # both words moved
    turning: list[float]  # the noter's look, and without turning
    still: list[float]
    turns: list[float]  # of each hand of the model with RoPE within its training length
    context: int
    right: Mapping[str, tuple[float, float]]

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


def load(_name: str) -> dict[str, LanguageModel]:
    """All models that are measured."""
    return {name: compute.model(name) for name in (MODEL, *ZOO)}


def measure(models: Mapping[str, LanguageModel], text: str) -> Found:
    """All of it, in some ten passes, of which four are long."""
    lm, none, sin, rope = (models[name] for name in (MODEL, NONE, WAVES, TURNED))
    trace, last = none.trace(text), len(none.trace(text)) - 1
    swapped = [trace.tokens[{DOG: MAN, MAN: DOG}.get(i, i)] for i in range(last + 1)]
    again = none.trace("".join(swapped[1:]))
    apart = {head: row(trace, head)[DOG] - row(trace, head)[MAN] for head in heads_of(trace) if head[0] == 0}
    plain = max(apart, key=apart.__getitem__)
    moved = position_schemes.Shifted(sin.network.positions, AWAY)
    here, there = sin.trace(text), sin.trace(text, positions=moved)
    change = {
        (head, i): abs(row(here, head)[i] - row(there, head)[i])
        for head in heads_of(here)
        for i in words_at(trace.tokens)
    }
    waves, seen = max(change, key=change.__getitem__)
    added = position_schemes.position_vectors(sin, last + AWAY)[[seen, seen + AWAY], :NUMBERS].tolist()
    noter, base = lm.trace(text), rope_planes.own_base(lm.config)
    q, k = rope_planes.head_vectors(noter, *NOTER, base)
    scale, context = noter.specs[NOTER[0]].scale, rope.config.context
    zero, back, on = (
        rope_planes.clocks(q[-1], k[-2], (last, key), base, scale=scale, moves=moves, reach=reach)
        for key, moves, reach in ((0, "key", 3), (last - 1, "key", last), (last - 1, "both", ON))
    )
    speeds = rope_planes.frequencies(rope.config.head_dim, rope_planes.own_base(rope.config)).tolist()
    return Found(
        trace.tokens,
        swapped,
        plain,
        (row(trace, plain), row(again, plain)),
        waves,
        seen,
        (row(here, waves), row(there, waves)),
        (added[0], added[1]),
        zero,
        back,
        on,
        row(noter, NOTER),
        shared_out((k @ q[-1] * scale).tolist()),
        [context * speed / (2 * math.pi) for speed in speeds],
        context,
        {name: _right(models[name]) for name in ZOO},
    )


def _right(lm: LanguageModel) -> tuple[float, float]:
    """The share of next pieces that are guessed right within the training length, and far beyond it."""
    ids = torch.tensor(lm.tokenizer.encode(sample_text(), bos=True)[:READ])
    hits = (lm(ids[None])[0, :-1].argmax(-1) == ids[1:]).double()
    return float(hits[: lm.config.context - 1].mean()), float(hits[BEYOND - 1 :].mean())

"""What lesson 10 measures: what streams say at a word, and the tables that mix them at every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tlmviz.analysis.streams.mixing import mixing_of
from tlmviz.analysis.streams.unrolled import output_taps, state_taps
from tlmviz.facades.language_model import LanguageModel
from tlmviz.tracing.trace import Trace

from .measures import named, word

ONE, FOUR = "stories-residual", "stories-hc"  # differ in nothing but their streams
FREE, BOUND = "stories-deep-hc", "stories-deep-mhc"
MODELS = ONE, FOUR, FREE, BOUND
STORY = "Lily had a big dog and a small cat. Lily loved the big"
EARLY, SHOWN = 4, 24  # steps after which streams are read off; numbers of a stream that are drawn
HOLDS = (1.0, 1.0, 1.0, 9.0)  # what streams hold before they are mixed by tables that share out
# An example: a column of 0.
EMPTY = ((0.6, 0.2, 0.2, 0.0), (0.2, 0.6, 0.2, 0.0), (0.2, 0.2, 0.6, 0.0), (0.4, 0.3, 0.3, 0.0))
NEAR = 0.005  # sums that differ from 1 by less are written as 1.00
Said = tuple[str, float]  # a word, and how sure it is


@dataclass(frozen=True)
class Found:
    """At a text's last word: what streams say, and the tables of all steps of two deep models that differ in nothing
    else, free ones and bound ones."""

    tokens: list[str]
    steps: int  # of the models with one stream and with four
    ends: tuple[list[float], list[float]]  # the one stream at first and at last, its first numbers
    says: tuple[Said, Said]  # what it says there
    silent: Said  # and at last, where all steps add nothing
    holds: list[float]  # how surely the one stream and each of the four still say the text's word after a few steps
    alone: Said  # what the one stream says then
    guess: tuple[int, Said]  # which of the others most surely says another word, and what
    free: Tensor
    bound: Tensor
    largest: tuple[float, float]  # number in the streams of the two deep models

    @property
    def table(self) -> Tensor:
        """The first free table as it is written, to be added up by hand."""
        return _written(self.free[0])

    @property
    def shared(self) -> Tensor:
        """Of the bound tables whose numbers as they are written add up to 1 both ways, the one that mixes most."""
        tables = [_written(each) for each in self.bound]
        exact = [each for each in tables if max(float((each.sum(n) - 1).abs().max()) for n in (0, 1)) < NEAR]
        return min(exact or tables, key=lambda each: float(each.max()))

    @property
    def divided(self) -> list[Tensor]:
        """The first free table with its rows and columns divided by their sums in turn, until all are written as
        1.00."""
        steps: list[Tensor] = []
        each = self.table
        while not steps or max(float((each.sum(axis) - 1).abs().max()) for axis in (0, 1)) >= NEAR:
            each = each / each.sum(1 - len(steps) % 2, keepdim=True)
            steps.append(each)
        return steps

    @property
    def most(self) -> int:
        """The row of the first free table that adds up to most."""
        return int(self.table.sum(1).argmax())

    @property
    def keeper(self) -> int:
        """The stream, counted from 1, that still says the text's word most surely."""
        return max(range(1, len(self.holds)), key=self.holds.__getitem__)


def _written(table: Tensor) -> Tensor:
    """A table whose numbers have two places."""
    return (table * 100).round() / 100


def growth(tables: Tensor) -> list[float]:
    """What the largest of all streams holds after each step, where all hold 1 at first."""
    held, found = tables.new_ones(tables.shape[-1]), []
    for table in tables:
        held = table @ held
        found.append(float(held.max()))
    return found


def _said(lm: LanguageModel, row: Tensor) -> Tensor:
    """What the model would guess next if the last word's row were this one: the share of each piece."""
    network: Any = lm.on_cpu.network
    return torch.as_tensor(network.unembed(network.norm(row)).softmax(-1))


def _streams(trace: Trace) -> Tensor:
    """The last word's streams at the start and after each step, [P + 1, N, C]."""
    found = torch.stack([each[0, -1] for each in trace.tensors(state_taps(trace.n_layers)).values()])
    return found if found.ndim == 3 else found[:, None]


def measure(models: dict[str, LanguageModel], text: str) -> Found:
    """All of it, in a few passes of each model, and one in which all steps are silent."""
    one, traces = models[ONE], {name: lm.trace(text) for name, lm in models.items()}
    alone, states = traces[ONE], {name: _streams(trace) for name, trace in traces.items()}
    last = alone.ids[-1]
    mute = {name: lambda value, record: torch.zeros_like(value) for name in output_taps(alone.n_layers)}
    rows = states[ONE][0, 0], states[ONE][-1, 0]
    early = [_said(one, states[ONE][EARLY])[0], *_said(models[FOUR], states[FOUR][EARLY])]
    holds = [float(each[last]) for each in early]
    best = [named(models[FOUR], each, 1)[0] for each in early]
    others = [n for n in range(1, len(best)) if best[n][0] != word(alone.tokens[-1])]
    guess = max(others, key=lambda n: best[n][1])
    free, bound = (mixing_of(traces[name]).res[:, -1].double() for name in (FREE, BOUND))
    begins, ends = (named(one, _said(one, each), 1)[0] for each in rows)
    return Found(
        alone.tokens,
        2 * alone.n_layers,
        (rows[0][:SHOWN].tolist(), rows[1][:SHOWN].tolist()),
        (begins, ends),
        named(one, one.trace(text, edit=mute).probabilities(), 1)[0],
        holds,
        best[0],
        (guess, best[guess]),
        free,
        bound,
        (float(states[FREE].abs().max()), float(states[BOUND].abs().max())),
    )

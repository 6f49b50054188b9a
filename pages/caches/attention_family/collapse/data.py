"""Everything that the part One head for all shows: a layer whose heads all get one head's matrices."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from tlmviz.analysis.notation.collapse import EVERY, Apart, Collapsed, collapse
from tlmviz.checks import Check, measure, notation_collapse
from tlmviz.ui.cached import cached
from tlmviz.ui.compute import run_in_worker

from ..data import Reading, Turned
from .state import Lemma

TOKENS = 40  # of the text, at most
CELLS = 450_000  # of all maps that are sent, two bytes each
ROUNDING = 1e-9  # of the output: what float64 leaves of nothing


@dataclass(frozen=True)
class Data(Turned):
    """What is shared and what stands between, a reading, and the layer and head whose matrices all heads get."""

    chosen: Lemma

    @property
    def head(self) -> tuple[int, int]:
        return self.chosen.head

    @property
    def heads(self) -> int:
        return self.reading.config.n_heads

    @property
    def tokens(self) -> list[str]:
        """The text's first ones: fewer where there are many heads."""
        fit = math.isqrt(CELLS // (len(EVERY) * self.heads))
        return self.reading.trace.tokens[: max(1, min(TOKENS, fit))]

    @property
    def stop(self) -> int:
        """How many."""
        return len(self.tokens)

    @cached(16)
    def found(reading: Reading, head: tuple[int, int], stop: int) -> Collapsed:
        """The maps of all heads, and how far they are apart."""
        lm, trace = reading.lm, reading.trace
        return run_in_worker(lambda: collapse(lm, trace, head[0], stop, head[1]), len(trace))

    @property
    def apart(self) -> Apart:
        """How far heads with one W_Q W_K' are apart, with what stands between."""
        [at] = [
            i for i, each in enumerate(EVERY) if all(on == (name in self.chosen.on) for name, on in vars(each).items())
        ]
        return self.found.apart[at]

    @property
    def missed(self) -> float:
        """What one head misses of the output of heads with one W_V W_O."""
        return self.found.missed["softmax" in self.chosen.on]

    @cached(16)
    def checks(reading: Reading) -> list[Check]:
        """The identities behind this part, measured on this text."""
        lm, trace = reading.lm, reading.trace
        return run_in_worker(lambda: measure(notation_collapse, lm, trace), len(trace))

    def with_switches(self, part: str, *on: str) -> Data:
        """The same, with another choice."""
        return replace(self, chosen=replace(self.chosen, part=part, on=on))

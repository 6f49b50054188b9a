"""Everything that the part Cost shows: milliseconds, measured, and operations, by formula, with the cache and
without."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tlmviz.analysis.caches import cost, decode_steps
from tlmviz.analysis.caches.decode_steps import NAIVE, WITH, WITHOUT, Timing
from tlmviz.ui import compute
from tlmviz.ui.cached import cached

from .. import data as steps
from ..state import Cache

# Way of decoding: whether it has a cache, and whether latent attention is absorbed.
WAYS = {WITH: (True, True), WITHOUT: (False, True), NAIVE: (True, False)}
FEWEST = 3  # rounds without which no range is known


@dataclass(frozen=True)
class Data:
    """A generation, timed."""

    chosen: Cache

    @cached_property
    def base(self) -> steps.Data:
        """The generation."""
        return steps.Data(self.chosen)

    @property
    def length(self) -> int:
        """Positions at the end."""
        return len(self.base.done.ids)

    @cached(24)
    def timing(chosen: Cache) -> Timing:
        """Milliseconds per token with the cache and without, measured when first shown."""
        base = steps.Data(chosen)
        lm, done = base.lm, base.done
        return compute.run_in_worker(lambda: decode_steps.measure(lm, done.ids, done.prompt), len(done.ids))

    @property
    def medians(self) -> dict[str, tuple[float, float]]:
        """Of each way the least and the largest median over the tokens that a round had, in milliseconds."""
        rounds = {way: np.median(taken, axis=1) for way, (_where, taken) in self.timing.ways.items()}
        return {way: (float(each.min()), float(each.max())) for way, each in rounds.items()}

    @property
    def told_apart(self) -> bool:
        """Whether the rounds of the cache and of no cache do not overlap: else the times say nothing of their order."""
        kept, again = self.medians[WITH], self.medians[WITHOUT]
        return self.timing.rounds >= FEWEST and (kept[1] < again[0] or again[1] < kept[0])

    @cached_property
    def lengths(self) -> np.ndarray:
        """Lengths of the curves."""
        longest = max(4 * self.base.lm.config.context, self.length)
        return np.unique(np.geomspace(1, longest, 60).astype(int))

    @cached_property
    def curves(self) -> dict[str, np.ndarray]:
        """Operations per token of each way."""
        return {
            way: np.array([self._flops(way, int(at)) for at in self.lengths], np.float64) for way in self.timing.ways
        }

    @property
    def flops(self) -> dict[str, int]:
        """Operations of the last token."""
        return {way: self._flops(way, self.length) for way in self.timing.ways}

    def _flops(self, way: str, length: int) -> int:
        return cost.step_flops(self.base.lm.config, length, *WAYS[way]).total

    def measure_again(self) -> None:
        """Callback: forget the times."""
        Data.timing.clear(self.chosen)

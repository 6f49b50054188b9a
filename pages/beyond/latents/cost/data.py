"""Everything that the part Cost shows: scores that are counted, and times that are measured here."""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.analysis.beyond.latent_cost import latent_scores, self_scores, time_both
from tlmviz.ui import compute as shared
from tlmviz.ui.cached import cached

from .state import Cost

INPUTS, LATENTS = (64, 256, 1024, 4096), (8, 64)
ROUNDS = 3  # in which the sizes and both ways take turns
AMONG = 0  # in place of a number of latents: self-attention
Times = dict[int, list[list[float]]]  # latents, or AMONG -> inputs -> milliseconds of every round


@dataclass(frozen=True)
class Data:
    """What the part shows."""

    chosen: Cost

    @property
    def among(self) -> int:
        """Scores of the inputs among themselves."""
        return self_scores(self.chosen.inputs)

    @property
    def by_latents(self) -> int:
        """Scores of the latents that read them and one another."""
        return latent_scores(self.chosen.inputs, self.chosen.latents)

    @cached(None)
    def times() -> Times:
        """Milliseconds of both ways on this machine, once for all; `Data.times.clear` has them measured again."""
        found: Times = {each: [[] for _inputs in INPUTS] for each in (AMONG, *LATENTS)}
        for _round in range(ROUNDS):
            for k, inputs in enumerate(INPUTS):
                for latents in LATENTS:
                    timing = shared.run_in_worker(lambda n=inputs, m=latents: time_both(n, m))
                    found[latents][k].append(timing.by_latents)
                    found[AMONG][k].append(timing.among_inputs)
        return found

    def apart(self, latents: int, k: int) -> bool:
        """Whether every round of one way was faster than every round of the other, for the k-th number of inputs."""
        one, other = self.times[AMONG][k], self.times[latents][k]
        return max(one) < min(other) or max(other) < min(one)

"""Everything that the part Latent attention shows: weight absorption, the parts of a score, and what RoPE would do
between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from tlmviz.analysis.caches import weight_absorption
from tlmviz.analysis.caches.family import Sizes, Variant
from tlmviz.ui import compute
from tlmviz.ui.cached import cached
from tlmviz.ui.compute import run_in_worker

from ..data import Reading, Turned
from ..state import Heads

SCORED = 160  # tokens along the side of a map of scores: four exact maps of more would be slow to send


@dataclass(frozen=True)
class Data(Turned):
    """A latent model's reading, one layer and head."""

    chosen: Heads

    @property
    def head(self) -> tuple[int, int]:
        return self.chosen.head

    @property
    def models(self) -> list[str]:
        """The bundled models with latent attention."""
        return [name for name, config in compute.configs().items() if config.attention.latent_dim is not None]

    @cached(32)
    def parts(reading: Reading, head: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Content and rotary part of the head's scores with NaN where it may not look, and its weights, of the last
        tokens."""
        lm, trace = reading.lm, reading.trace

        def work() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            hidden = trace.scores(*head, "masked") == -torch.inf
            parts = weight_absorption.score_parts(lm, trace, *head)
            content, rotary = (part.masked_fill(hidden, torch.nan) for part in parts)
            maps = (content, rotary, trace.attention(*head))
            return tuple(values[-SCORED:, -SCORED:].numpy() for values in maps)

        return run_in_worker(work, len(trace))

    @cached(32)
    def shares(reading: Reading) -> np.ndarray:
        """The rotary part's share of every head's variance, [L, H]."""
        lm, trace = reading.lm, reading.trace

        def work() -> np.ndarray:
            return torch.stack(
                [weight_absorption.part_shares(lm, trace, layer) for layer in range(lm.config.n_layers)]
            ).numpy()

        return run_in_worker(work, len(trace))

    @cached(16)
    def errors(reading: Reading) -> list[float]:
        """The relative difference between each layer's output with weight absorption and its own."""
        lm, trace = reading.lm, reading.trace
        return run_in_worker(lambda: weight_absorption.absorbed_errors(lm, trace), len(trace))

    @property
    def share(self) -> float:
        """That of the head; NaN where the scores do not vary."""
        return float(self.shares[self.head])

    @property
    def error(self) -> float:
        """That of the layer."""
        return self.errors[self.head[0]]

    @property
    def variant(self) -> Variant:
        return Variant(Sizes.of(self.reading.config), None)

    @property
    def flops(self) -> tuple[int, int]:
        """Operations for the text's last token, absorbed and not."""
        length = len(self.reading.trace)
        return self.variant.flops(length), self.variant.flops(length, absorbed=False)

    @property
    def folded(self) -> weight_absorption.Folding:
        """The head's products with their factors."""
        return weight_absorption.folding(self.reading.lm, *self.head)

    @property
    def counts(self) -> tuple[int, int]:
        """Numbers of the factors, and of their products."""
        return weight_absorption.folded_counts(self.reading.lm)

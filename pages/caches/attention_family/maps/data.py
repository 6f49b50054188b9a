"""Everything that the part Trained maps shows: every model of the family on the same text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.caches.family import largest_family
from tlmviz.analysis.caches.layer_cost import Layer
from tlmviz.config import ModelConfig
from tlmviz.ui import compute
from tlmviz.ui.compute import run_in_worker

from ..data import Reading, Shown
from ..state import Heads

BINS, LARGE = 48, 128  # bins, or tokens, along the side of a small map, and of the compared one


@dataclass(frozen=True)
class Data(Shown):
    """A family's models, one text, one layer and head."""

    chosen: Heads

    @cached_property
    def names(self) -> list[str]:
        """Models that differ in their attention alone: the chosen one's, or the largest such family there is."""
        names = largest_family(compute.configs(), self.chosen.model)
        return names if len(names) > 1 else []

    @property
    def readings(self) -> list[Reading]:
        """Each on the text."""
        return [Reading(name, self.chosen.text) for name in self.names]

    @property
    def head(self) -> tuple[int, int]:
        return self.chosen.head

    @cached_property
    def configs(self) -> list[ModelConfig]:
        return [compute.configs()[name] for name in self.names]

    @property
    def layers(self) -> int:
        """That all models have."""
        return min(config.n_layers for config in self.configs)

    @property
    def heads(self) -> int:
        """That each layer of all models has."""
        return min(config.n_heads for config in self.configs)

    @property
    def groups(self) -> np.ndarray:
        """Which key/value head each head reads, [models, heads]."""
        return np.stack([np.arange(self.heads) * config.n_kv_heads // self.heads for config in self.configs])

    @property
    def pictures(self) -> np.ndarray:
        """One layer's maps of every model, pooled, [models, heads, n, n]."""
        return np.stack([_pictures(reading, self.head[0]) for reading in self.readings])

    @property
    def compared(self) -> list[np.ndarray]:
        """One head's map of every model."""
        return [reading.trace.pooled(*self.head, min(LARGE, len(reading.trace))).numpy() for reading in self.readings]

    @cached_property
    def losses(self) -> dict[str, float]:
        """Every model's loss on the text, in nats per token; NaN for one token."""
        return {
            reading.model: float(reading.trace.loss_per_token().mean()) if len(reading.trace) > 1 else float("nan")
            for reading in self.readings
        }

    @property
    def cached(self) -> dict[str, int]:
        """Numbers that each model caches of a token and layer."""
        return {reading.model: Layer.of(reading.config).cached for reading in self.readings}


@st.cache_resource(max_entries=32, show_spinner=False)
def _pictures(reading: Reading, layer: int) -> np.ndarray:
    trace = reading.trace
    size, heads = min(BINS, len(trace)), range(trace.n_heads)
    return run_in_worker(lambda: torch.stack([trace.pooled(layer, head, size) for head in heads]).numpy(), len(trace))

"""Everything that the part Latent attention shows: weight absorption, the parts of a score, and what RoPE would do
between."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.caches import weight_absorption
from tlmviz.analysis.caches.family import Sizes, Variant
from tlmviz.analysis.caches.turning import Turning
from tlmviz.ui import compute
from tlmviz.ui.compute import run_in_worker

from ..data import Reading, turning

SCORED = 160  # tokens along the side of a map of scores: four exact maps of more would be slow to send


@dataclass(frozen=True)
class Data:
    """A latent model's reading, one layer and head."""

    reading: Reading
    head: tuple[int, int]

    @cached_property
    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Content and rotary part of the head's scores with NaN where it may not look, and its weights, of the last
        tokens."""
        return _parts(self.reading, *self.head)

    @cached_property
    def shares(self) -> np.ndarray:
        """The rotary part's share of every head's variance, [L, H]."""
        return _shares(self.reading)

    @property
    def share(self) -> float:
        """That of the head; NaN where the scores do not vary."""
        return float(self.shares[self.head])

    @property
    def error(self) -> float:
        """The relative difference between the layer's output with weight absorption and its own."""
        return _errors(self.reading)[self.head[0]]

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

    @property
    def turned(self) -> Turning:
        """The head's product of W_Q and W_↑K with RoPE between them."""
        return turning(self.reading, *self.head)


def latent_models() -> list[str]:
    """The bundled models with latent attention."""
    return [name for name, config in compute.configs().items() if config.attention.latent_dim is not None]


@st.cache_resource(max_entries=16, show_spinner=False)
def _errors(reading: Reading) -> list[float]:
    lm, trace = reading.lm, reading.trace
    return run_in_worker(lambda: weight_absorption.absorbed_errors(lm, trace), len(trace))


@st.cache_resource(max_entries=32, show_spinner=False)
def _parts(reading: Reading, layer: int, head: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lm, trace = reading.lm, reading.trace

    def work() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        hidden = trace.scores(layer, head, "masked") == -torch.inf
        parts = weight_absorption.score_parts(lm, trace, layer, head)
        content, rotary = (part.masked_fill(hidden, torch.nan) for part in parts)
        maps = (content, rotary, trace.attention(layer, head))
        return tuple(values[-SCORED:, -SCORED:].numpy() for values in maps)

    return run_in_worker(work, len(trace))


@st.cache_resource(max_entries=32, show_spinner=False)
def _shares(reading: Reading) -> np.ndarray:
    lm, trace = reading.lm, reading.trace
    layers = range(lm.config.n_layers)
    return run_in_worker(
        lambda: torch.stack([weight_absorption.part_shares(lm, trace, layer) for layer in layers]).numpy(), len(trace)
    )

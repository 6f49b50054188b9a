"""Everything the page Attention family computes on single layers and heads, cached; redundancy is in its own file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.caches import projections, weight_absorption
from tlmviz.checks import Check, caches_family, measure
from tlmviz.layers.positions import alibi_slopes
from tlmviz.ui.compute import run_in_worker

from .controls import Reading

CORNER = 64  # rows and columns that are drawn of a product for each distance
BINS = 48  # bins, or tokens, along the side of a small map
SCORED = 160  # tokens along the side of a map of scores
CONDITIONS = ("as trained", "one W_Q, W_K", "… with ALiBi", "… with RoPE", "same M, RoPE")


@st.cache_resource(max_entries=64, show_spinner=False)
def checks(reading: Reading) -> list[Check]:
    """The identities behind this page, measured on this text."""
    lm, trace = reading.lm, reading.trace
    return run_in_worker(lambda: measure(caches_family, lm, trace), len(trace))


@st.cache_resource(max_entries=32, show_spinner=False)
def pictures(reading: Reading, layer: int) -> np.ndarray:
    """One layer's maps, pooled to at most BINS bins, [H, n, n]."""
    trace = reading.trace
    size, heads = min(BINS, len(trace)), range(trace.n_heads)
    return run_in_worker(
        lambda: torch.stack([trace.pooled(layer, head, size) for head in heads]).numpy(), len(trace)
    )


# --- latent attention -----------------------------------------------------------------------------------


@st.cache_resource(max_entries=16, show_spinner=False)
def absorbed_errors(reading: Reading) -> list[float]:
    """Per layer: the relative difference between the output with weight absorption and the layer's own."""
    lm, trace = reading.lm, reading.trace
    return run_in_worker(lambda: weight_absorption.absorbed_errors(lm, trace), len(trace))


@st.cache_resource(max_entries=32, show_spinner=False)
def latent_parts(reading: Reading, layer: int, head: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Content and rotary part of a head's scores with NaN where it may not look, and its weights.

    [n, n] each, of the last n tokens, at most SCORED: four exact maps of more would be slow to send.
    """
    lm, trace = reading.lm, reading.trace

    def work() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        hidden = trace.scores(layer, head, "masked") == -torch.inf
        parts = weight_absorption.score_parts(lm, trace, layer, head)
        content, rotary = (part.masked_fill(hidden, torch.nan) for part in parts)
        maps = (content, rotary, trace.attention(layer, head))
        return tuple(values[-SCORED:, -SCORED:].numpy() for values in maps)

    return run_in_worker(work, len(trace))


@st.cache_resource(max_entries=32, show_spinner=False)
def rotary_shares(reading: Reading) -> np.ndarray:
    """The rotary part's share of every head's variance, [L, H]."""
    lm, trace = reading.lm, reading.trace
    layers = range(lm.config.n_layers)
    return run_in_worker(
        lambda: torch.stack([weight_absorption.part_shares(lm, trace, layer) for layer in layers]).numpy(),
        len(trace),
    )


# --- products of W_Q and W_K ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turning:
    """The product of W_Q and W_K' with RoPE between them at some distances: see `analysis.caches.projections`."""

    matrices: np.ndarray  # [N, C, E], at most CORNER rows and columns
    whole: tuple[int, int]  # C, E
    distances: list[int]
    moved: np.ndarray  # [M]
    missed: float

    def label(self, product: str) -> str:
        """The product with the part of it that is drawn."""
        corner = self.matrices.shape[1:]
        if corner == self.whole:
            return product
        return "{}, first {} × {} of {} × {}".format(product, *corner, *self.whole)


@st.cache_resource(max_entries=32, show_spinner=False)
def turning(reading: Reading, layer: int, head: int) -> Turning:
    """One head's product under RoPE at distances 0, 1, 2, 4 ... of the model's context."""
    lm, trace = reading.lm, reading.trace

    def work() -> Turning:
        heads, length = projections.heads_of(lm, trace, layer), lm.config.context
        distances = [0, *(2**power for power in range(length.bit_length()) if 2**power < length)]
        base = lm.config.positions.rope_base
        matrices = projections.turned_products(heads, head, distances, base).float().numpy()
        corner = np.ascontiguousarray(matrices[:, :CORNER, :CORNER])
        moved, missed = projections.turning(heads, head, length, base)
        return Turning(corner, matrices.shape[1:], distances, moved.float().numpy(), missed)

    return run_in_worker(work, len(trace))


@st.cache_resource(max_entries=32, show_spinner=False)
def collapsed(reading: Reading, layer: int) -> tuple[np.ndarray, list[float]]:
    """One layer's maps in each of CONDITIONS, [5, H, n, n], and the largest difference between logits of its heads."""
    lm, trace = reading.lm, reading.trace

    def work() -> tuple[np.ndarray, list[float]]:
        heads = projections.heads_of(lm, trace, layer).until(BINS)
        first, count, base = heads.as_first(), len(heads.w_q), lm.config.positions.rope_base
        length = len(heads.x_q)
        own = torch.stack([trace.scores(layer, head)[:length, :length] for head in range(count)]).double()
        logits = [
            own,
            first.logits(),
            first.logits(slopes=alibi_slopes(count)),
            first.logits(base),
            heads.refactored().logits(base),
        ]
        causal = torch.ones(length, length).tril().bool()
        apart = [((values - values[:1]) * causal).abs().max().item() for values in logits]
        maps = torch.stack(logits).masked_fill(~causal, -torch.inf).softmax(-1)
        return maps.float().numpy(), apart

    return run_in_worker(work, len(trace))

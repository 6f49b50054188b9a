"""Everything the page Attention family computes on single layers and heads, cached; redundancy is in its own file."""

from __future__ import annotations

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.caches import weight_absorption
from tlmviz.analysis.caches.turning import Turning, turned
from tlmviz.checks import Check, caches_family, measure
from tlmviz.ui.compute import run_in_worker

from .controls import Reading

BINS = 48  # bins, or tokens, along the side of a small map
SCORED = 160  # tokens along the side of a map of scores


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


@st.cache_resource(max_entries=32, show_spinner=False)
def turning(reading: Reading, layer: int, head: int) -> Turning:
    """One head's product under RoPE at some distances."""
    lm, trace = reading.lm, reading.trace
    return run_in_worker(lambda: turned(lm, trace, layer, head), len(trace))

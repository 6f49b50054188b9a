"""Everything the view Maps computes, cached: surveys of all layers, one head's pooled map, and exact tiles."""

from __future__ import annotations

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.kernels import long_context
from tlmviz.analysis.kernels.long_context import Survey
from tlmviz.ui import compute

from ..compute import HASH, Passage, trace
from .controls import MapChoice

HEAD_SIZE = 128  # bins of the chosen head's map


@st.cache_resource(max_entries=48, show_spinner=False, hash_funcs=HASH)
def survey(passage: Passage, layer: int, every: bool) -> Survey:
    """One layer's maps and distances, from `every` query or from as many as long texts allow."""
    watched, context = trace(passage), passage.lm.config.context
    rows = slice(0, None, 1) if every else None
    return compute.run_in_worker(
        lambda: long_context.survey(watched, layer, context, rows=rows), len(passage.ids)
    )


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs=HASH)
def pooled(passage: Passage, layer: int, head: int) -> np.ndarray:
    """A head's pooled map, exact, from every query, [n, n]."""
    watched = trace(passage)
    return compute.run_in_worker(
        lambda: watched.pooled(layer, head, min(HEAD_SIZE, len(watched))).numpy(), len(passage.ids)
    )


def tile(passage: Passage, layer: int, head: int, where: MapChoice) -> torch.Tensor:
    """Exact probabilities of a tile, [R, C]."""
    watched = trace(passage)
    return compute.run_in_worker(lambda: watched.attention(layer, head, where.rows, where.cols))

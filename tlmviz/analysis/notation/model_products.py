"""Products that a model's head is made of, as matrices to take apart: P V, W_O, and W_V W_O."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from tlmviz.analysis.caches.projections import value_factors
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from .rank_one import Product, svd

SOURCES = MIXED, OUTPUT, WHOLE = "P V", "W_O", "W_V W_O"


def of_head(lm: LanguageModelLike, trace: Trace, source: str, layer: int, head: int, stop: int) -> Product:
    """One of SOURCES of a head, in float64.

    "P V": its weights [T, T] times the values [T, D] of the text's first `stop` tokens, a term for every token that is
    looked at. "W_O": the head's rows of the output matrix, [D, C], by itself. "W_V W_O": [E, D] times [D, C], what the
    head writes for what it reads, without the bias of V.
    """
    if source == MIXED:
        values = trace[f"blocks.{layer}.attn.v"][0]
        group = head * len(values) // trace.n_heads
        kept = min(stop, len(trace))
        weights = trace.attention(layer, head, rows=slice(0, kept), cols=slice(0, kept))
        return Product(_array(weights), _array(values[group, :kept]))
    w_v, w_o = value_factors(lm, layer)
    if source == OUTPUT:
        return Product(_array(w_o[head]))
    attention = lm.config.attention
    reads = lm.config.d_model if attention.latent_dim is None else attention.latent_dim  # the bias of V is one row more
    return Product(_array(w_v[head, :reads]), _array(w_o[head]))


def plainest(lm: LanguageModelLike, trace: Trace, stop: int, count: int = 4) -> tuple[int, int]:
    """Layer and head of whose P V the first `count` singular terms leave the smallest share."""

    def left(layer: int, head: int) -> float:
        squares = svd(of_head(lm, trace, MIXED, layer, head, stop))[1] ** 2
        return float(squares[count:].sum() / max(squares.sum(), 1e-300))

    return min(np.ndindex(trace.n_layers, trace.n_heads), key=lambda place: left(*place))


def _array(values: Tensor) -> np.ndarray:
    found: np.ndarray = values.double().cpu().numpy()
    return found

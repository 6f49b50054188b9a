"""The lightning indexer's identities, measured like those in `identities.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from tlmviz.analysis.kernels.indexer import sparse_attention

from ..layers.indexer import ROTATIONS, Indexers, orthogonal
from ..tracing.trace import Trace
from .cases import has_indexer, indexed
from .registry import identity

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


@identity(
    "(Uq)·(Uk) = q·k",
    "an orthogonal rotation of q and k keeps every product",
    1e-5,
    "relative",
    when=has_indexer,
    inputs=indexed,
)
def rotation_keeps_products(lm: LanguageModel, trace: Trace, indexers: Indexers, layer: int = 0) -> float:
    """(Uq).(Uk) = q.k for each kind of rotation, as a share of the largest product (000 section 3.5, Eq. 71)."""
    indexer, x = indexers[layer], trace[f"blocks.{layer}.normed_attn"]
    q, k, _ = indexer.vectors(x)
    exact = q @ k[:, None].transpose(-1, -2)  # [B, H, T, S]
    errors: list[Tensor] = []
    for kind in ROTATIONS:
        turned_q, turned_k, _ = indexer.vectors(x, orthogonal(kind, indexer.head_dim))
        errors.append((turned_q @ turned_k[:, None].transpose(-1, -2) - exact).abs().max())
    return float(max(errors) / exact.abs().max().clamp(min=1e-30))


@identity(
    "Top-T = dense", "choosing every key gives the outputs of dense attention", 1e-3, when=has_indexer, inputs=indexed
)
def every_key_is_dense(lm: LanguageModel, trace: Trace, indexers: Indexers) -> float:
    """Sparse attention with k = T keys gives dense attention's logits."""
    sparse = lm.trace_ids(trace.ids, sparse_attention(lm, len(trace), "indexer", indexers))
    return (sparse.logits - trace.logits).abs().max().item()


@identity(
    "Loss at k = T", "choosing every key gives each token's dense loss", 1e-4, "nats", when=has_indexer, inputs=indexed
)
def every_key_is_dense_loss(lm: LanguageModel, trace: Trace, indexers: Indexers) -> float:
    """Sparse attention with k = T keys gives dense attention's loss, token by token."""
    sparse = lm.trace_ids(trace.ids, sparse_attention(lm, len(trace), "indexer", indexers))
    errors = (sparse.loss_per_token() - trace.loss_per_token()).abs()
    return errors.max().item() if errors.numel() else 0.0

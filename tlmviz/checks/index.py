"""The lightning indexer's identities, measured like those in `identities.py`."""

from __future__ import annotations

from tlmviz.analysis.kernels.indexer import list_indexers, load_indexer, sparse_attention, trace_for_indexer

from ..layers.indexer import ROTATIONS, Indexers, orthogonal
from ..trace import Trace
from .result import Check


def rotation_keeps_products(trace: Trace, indexers: Indexers, layer: int) -> Check:
    """(Uq).(Uk) = q.k for each kind of rotation, as a share of the largest product (000 section 3.5, Eq. 71)."""
    indexer, x = indexers[layer], trace[f"blocks.{layer}.normed_attn"]
    q, k, _ = indexer.vectors(x)
    exact = q @ k[:, None].transpose(-1, -2)  # [B, H, T, S]
    errors = []
    for kind in ROTATIONS:
        turned_q, turned_k, _ = indexer.vectors(x, orthogonal(kind, indexer.head_dim))
        errors.append((turned_q @ turned_k[:, None].transpose(-1, -2) - exact).abs().max())
    error = (max(errors) / exact.abs().max().clamp(min=1e-30)).item()
    return Check(
        "(Uq)·(Uk) = q·k", "an orthogonal rotation of q and k keeps every product", error, 1e-5, "relative"
    )


def every_key_is_dense(lm, trace: Trace, indexers: Indexers) -> Check:
    """Sparse attention with k = T keys gives dense attention's logits."""
    sparse = lm.trace_ids(trace.ids, sparse_attention(lm, len(trace), "indexer", indexers))
    error = (sparse.logits - trace.logits).abs().max().item()
    return Check("Top-T = dense", "choosing every key gives the outputs of dense attention", error, 1e-3)


def every_key_is_dense_loss(lm, trace: Trace, indexers: Indexers) -> Check:
    """Sparse attention with k = T keys gives dense attention's loss, token by token."""
    sparse = lm.trace_ids(trace.ids, sparse_attention(lm, len(trace), "indexer", indexers))
    errors = (sparse.loss_per_token() - trace.loss_per_token()).abs()
    error = errors.max().item() if errors.numel() else 0.0
    return Check("Loss at k = T", "choosing every key gives each token's dense loss", error, 1e-4, "nats")


def run_bundled(lm, name: str, ids: list[int]) -> list[Check]:
    """Every check of the indexer that was distilled from the bundled model `name`; none if there is none."""
    if f"{name}-indexer" not in list_indexers():
        return []
    indexers, trace = load_indexer(f"{name}-indexer"), trace_for_indexer(lm, ids)
    return [
        rotation_keeps_products(trace, indexers, 0),
        every_key_is_dense(lm, trace, indexers),
        every_key_is_dense_loss(lm, trace, indexers),
    ]

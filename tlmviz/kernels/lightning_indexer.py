"""The lightning indexer: cheap scores that choose which keys a query attends to. The public functions."""

from __future__ import annotations

from jaxtyping import Bool, Float, Int
from torch import Tensor

from tlmviz.errors import BadShape

from .backends import backend_for
from .reference import lightning_indexer as reference


def index_scores(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b s d"],
    w: Float[Tensor, "b t h"],
    *,
    causal: bool = True,
    backend: str = "auto",
) -> Float[Tensor, "b t s"]:
    """Sum over the index heads of w * ReLU(q.k), with one key per position shared by all heads.

    Hidden cells are -inf; queries are the last T of the S positions. Computed and returned in float32
    (float64 for float64). The backward pass recomputes a strip of rows at a time, so that memory beyond
    the scores is one strip. Raises BadShape and BadBackend. Source: 000 section 3.5, Eq. 70.
    """
    if q.ndim != 4 or k.ndim != 3 or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[2]:
        raise BadShape(
            f"q {list(q.shape)} and k {list(k.shape)} do not fit: give q as [B, H, T, D] and k as [B, S, D]."
        )
    if w.shape != (q.shape[0], q.shape[2], q.shape[1]):
        raise BadShape(f"w {list(w.shape)} must hold one number per query and head, [B, T, H], of q {list(q.shape)}.")
    if backend_for(q, backend) == "triton":
        from . import lightning_indexer_triton

        return lightning_indexer_triton.index_scores(q, k, w, causal=causal)
    return reference.index_scores(q, k, w, causal=causal)


def top_k(scores: Float[Tensor, "b t s"], k: int) -> tuple[Int[Tensor, "b t k"], Bool[Tensor, "b t s"]]:
    """Each query's k best keys, best first, and the same as a mask of chosen cells.

    Hidden cells (-inf) are never chosen: a query that sees fewer than k keys has -1 in the places left over,
    so k = S is dense attention. Of equal scores, which ReLU makes often (exact zeros), the key at the later position is
    better: recent tokens matter more, and every backend and machine chooses alike. Raises BadShape for k > S.
    """
    if not 1 <= k <= scores.shape[-1]:
        raise BadShape(f"k is {k}; a query has {scores.shape[-1]} keys, so give 1 to {scores.shape[-1]}.")
    return reference.top_k(scores, k)

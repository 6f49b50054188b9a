"""Softmax attention: the public function, which checks its arguments and chooses a backend."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.errors import BadBackend

from .arguments import check_values, scale_of
from .backends import backend_for
from .mask import CAUSAL, AttentionMask, build_mask
from .reference import attention as reference


def attention(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b g s d"],
    v: Float[Tensor, "b g s e"],
    mask: AttentionMask = CAUSAL,
    *,
    scale: float | None = None,
    backend: str = "auto",
    **parts: Any,
) -> tuple[Float[Tensor, "b h t e"], Float[Tensor, "b h t"]]:
    """Softmax attention and each row's natural log-sum-exp, without a T x S temporary beyond a tile.

    `parts` are the fields of an AttentionMask in place of one: `attention(q, k, v, window=64)`. `scale` is 1 / sqrt(D)
    by default. A row that sees nothing gives zeros and lse = -inf (its sink where the mask has sinks). q, k, v and the
    mask's `relative`, `sinks` and `bias` have gradients through out and through lse, its slopes have none. Only torch
    has `relative`, `softcap`, `sinks`, `bias` and `visible`, and "auto" is torch with any of them. For 16-bit inputs
    out has their type and lse is float32. Raises BadShape and BadBackend. Source: 000 sections 1.2 and 4.
    """
    mask = build_mask(mask, parts).fit(q, k)
    check_values(k, v)
    family: ModuleType = reference
    if attention_backend(q, backend, mask) == "triton":
        from . import attention_triton

        family = attention_triton
    return family.attention(q, k, v, mask, scale_of(q, scale))


# The mask's parts that no Triton kernel has, each with its name in a sentence.
TORCH_ONLY = {
    "relative": "relative positions",
    "softcap": "soft-capped scores",
    "sinks": "sinks",
    "bias": "a bias",
    "visible": "a mask given as a function",
}


def attention_backend(
    q: Tensor, backend: str, mask: AttentionMask = CAUSAL, differentiable: bool = True, others: tuple[Tensor, ...] = ()
) -> str:
    """As `backend_for`; "auto" is torch where the Triton kernels do not go: float64, TORCH_ONLY, missing gradients."""
    name = backend_for(q, backend)
    if name == "torch":
        return name
    lacking, remedy = None, ""
    torch_only = [words for part, words in TORCH_ONLY.items() if getattr(mask, part) is not None]
    if q.dtype == torch.float64:
        lacking = "computes in float32 and has no float64"
    elif torch_only:
        lacking = f"has no kernel for {' and '.join(torch_only)}"
    elif not differentiable and torch.is_grad_enabled() and any(part.requires_grad for part in (q, *others)):
        lacking, remedy = "has no gradient for this function", ", or torch.no_grad() if none is needed"
    if lacking and backend == "triton":
        raise BadBackend(f"backend='triton' {lacking}; use 'auto' or 'torch'{remedy}.")
    return "torch" if lacking else name

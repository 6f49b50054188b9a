"""Softmax attention: the public function, which checks its arguments and chooses a backend."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from tlmviz.errors import BadBackend

from .arguments import check_values, checked_mask, scale_of
from .backends import backend_for
from .reference import attention as reference


def attention(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b g s d"],
    v: Float[Tensor, "b g s e"],
    *,
    causal: bool = True,
    window: int | None = None,
    slopes: Float[Tensor, " h"] | None = None,
    relative: Float[Tensor, "r d"] | None = None,
    scale: float | None = None,
    requests: Int[Tensor, "b s"] | tuple[Int[Tensor, "b t"], Int[Tensor, "b s"]] | None = None,
    lengths: Int[Tensor, " b"] | None = None,
    backend: str = "auto",
) -> tuple[Float[Tensor, "b h t e"], Float[Tensor, "b h t"]]:
    """Softmax attention and each row's natural log-sum-exp, without a T x S temporary beyond a tile.

    `window` counts the positions a query sees, itself included. `slopes` adds ALiBi's -slope * distance to the
    scaled scores, and `relative` adds q_i . relative[min(|i - j|, R - 1)], one vector per distance that is multiplied
    by the scale already. `requests` numbers the texts packed into one row (continuous batching), one id per position or a
    pair of ids per query and per key: a query sees only keys of its own id. `lengths` hides the keys from a
    row's length on (padding at the end); it moves no query, which stay the last T of the S positions.
    A row that sees nothing gives zeros and lse = -inf. q, k, v and relative have gradients through out and through
    lse, slopes have none. Only torch has `relative`, and "auto" is torch with it. For 16-bit inputs out has their type
    and lse is float32.
    Raises BadShape and BadBackend. Source: 000 sections 1.2 and 4, 003 section 4.5; ALiBi: Press et al. 2022;
    `relative`: Shaw et al. 2018, equation 4, with the vectors of the keys.
    """
    mask = checked_mask(
        q,
        k,
        causal=causal,
        window=window,
        slopes=slopes,
        relative=relative,
        requests=requests,
        lengths=lengths,
    )
    check_values(k, v)
    if attention_backend(q, backend, relative) == "triton":
        from . import attention_triton as family
    else:
        family = reference
    return family.attention(q, k, v, mask, scale_of(q, scale))


def attention_backend(
    q: Tensor,
    backend: str,
    relative: Tensor | None = None,
    differentiable: bool = True,
    others: tuple[Tensor, ...] = (),
) -> str:
    """As `backend_for`; "auto" is torch where the Triton kernels do not go: float64, `relative`, missing gradients."""
    chosen = backend_for(q, backend)
    if chosen == "torch":
        return chosen
    lacking, remedy = None, ""
    if q.dtype == torch.float64:
        lacking = "computes in float32 and has no float64"
    elif relative is not None:
        lacking = "has no kernel for relative positions"
    elif not differentiable and torch.is_grad_enabled() and any(part.requires_grad for part in (q, *others)):
        lacking, remedy = "has no gradient for this function", ", or torch.no_grad() if none is needed"
    if lacking and backend == "triton":
        raise BadBackend(f"backend='triton' {lacking}; use 'auto' or 'torch'{remedy}.")
    return "torch" if lacking else chosen

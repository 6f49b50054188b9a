"""Attention as one differentiable operation, out of a backend's two passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from .bias import DistanceBias
from .mask import AttentionMask

LEARNED = ("relative", "sinks", "bias")  # the parts of a mask that have gradients
Attend = Callable[[Tensor, Tensor, Tensor, AttentionMask, float], tuple[Tensor, Tensor]]
Gradients = tuple[Tensor, Tensor, Tensor, dict[str, Tensor]]  # of q, k and v, and those of LEARNED that there are


def differentiable(run: Attend, run_back: Callable[..., Gradients]) -> Attend:
    """`attention(q, k, v, mask, scale)` with gradients for q, k, v and the mask's LEARNED, recomputed tile by tile from
    lse.

    `run(q, k, v, mask, scale)` gives out and lse; `run_back(q, k, v, out, lse, grad_out, grad_lse, mask, scale)`, where
    either incoming gradient may be None, gives those of q, k, v and a dict of the LEARNED parts' that the mask has.
    """

    class Attention(torch.autograd.Function):
        @staticmethod
        def forward(
            ctx: Any,
            q: Tensor,
            k: Tensor,
            v: Tensor,
            mask: AttentionMask,
            scale: float,
            *learned: Tensor | DistanceBias | None,
        ) -> tuple[Tensor, Tensor]:
            # What is learned is read from the mask; here it asks for its gradient.
            out, lse = run(q, k, v, mask, scale)
            ctx.save_for_backward(q, k, v, out, lse)
            ctx.mask, ctx.scale = mask, scale
            ctx.set_materialize_grads(False)
            return out, lse

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, grad_out: Tensor | None, grad_lse: Tensor | None) -> tuple[Tensor | None, ...]:
            *grads, learned = run_back(*ctx.saved_tensors, grad_out, grad_lse, ctx.mask, ctx.scale)
            return *grads, None, None, *(learned.get(part) for part in LEARNED)

    def attention(q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask, scale: float) -> tuple[Tensor, Tensor]:
        """See `kernels.attention`."""
        learned = (getattr(mask, part) for part in LEARNED)
        return Attention.apply(q, k, v, mask, scale, *learned)  # type: ignore[no-untyped-call]  # torch's has no types

    return attention

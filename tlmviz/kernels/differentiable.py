"""Attention as one differentiable operation, out of a backend's two passes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.autograd.function import once_differentiable

LEARNED = ("relative", "sinks", "bias")  # the parts of a mask that have gradients


def differentiable(run: Callable, run_back: Callable) -> Callable:
    """`attention(q, k, v, mask, scale)` with gradients for q, k, v and the mask's LEARNED, recomputed tile by tile from lse.

    `run(q, k, v, mask, scale)` gives out and lse; `run_back(q, k, v, out, lse, grad_out, grad_lse, mask, scale)`, where
    either incoming gradient may be None, gives those of q, k, v and a dict of the LEARNED parts' that the mask has.
    """

    class Attention(torch.autograd.Function):
        @staticmethod
        def forward(ctx, q, k, v, mask, scale, *learned):
            # What is learned is read from the mask; here it asks for its gradient.
            out, lse = run(q, k, v, mask, scale)
            ctx.save_for_backward(q, k, v, out, lse)
            ctx.mask, ctx.scale = mask, scale
            ctx.set_materialize_grads(False)
            return out, lse

        @staticmethod
        @once_differentiable
        def backward(ctx, grad_out, grad_lse):
            *grads, learned = run_back(*ctx.saved_tensors, grad_out, grad_lse, ctx.mask, ctx.scale)
            return *grads, None, None, *(learned.get(part) for part in LEARNED)

    def attention(q, k, v, mask, scale):
        """See `kernels.attention`."""
        return Attention.apply(q, k, v, mask, scale, *(getattr(mask, part) for part in LEARNED))

    return attention

"""Sinkhorn-Knopp in torch. Arguments are checked by the public functions.

The iterations run over matrices laid out as [n, n, M], M of them side by side: a sum over rows or
columns is then a few additions of long vectors, where [M, n, n] would sum 4 numbers at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

CHUNK = 65536  # numbers handled at once, so that they stay in the processor's cache
SAFE = 30.0  # nats between a row's largest and smallest logit up to which float32 products cannot underflow


def sinkhorn(logits: Tensor, iterations: int) -> Tensor:
    """See `kernels.sinkhorn`."""
    return Sinkhorn.apply(logits, iterations)  # type: ignore[no-untyped-call]  # torch's has no types


def sinkhorn_iterates(logits: Tensor, iterations: int) -> Tensor:
    """See `kernels.sinkhorn_iterates`."""
    z = logits - _finite(logits.amax((-1, -2), keepdim=True))
    steps = [z.exp()]
    for _ in range(iterations):
        for axis in (-1, -2):
            z = z - _log_sum(z, axis)
        steps.append(z.exp())
    return torch.stack(steps)


class Sinkhorn(torch.autograd.Function):
    """Keeps the logits only; backward runs the iterations again and undoes them one by one."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, iterations: int) -> Tensor:
        ctx.save_for_backward(logits)
        ctx.iterations = iterations
        return _in_chunks(lambda part: _probabilities(*_scale(part, iterations)), logits)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _in_chunks(lambda part, g: _backward(part, g, ctx.iterations), ctx.saved_tensors[0], grad), None


def _in_chunks(function: Callable[..., Tensor], *tensors: Tensor) -> Tensor:
    """Apply a function of [n, n, M] to some matrices at a time of [..., n, n]."""
    first = tensors[0]
    n = first.shape[-1]
    flat = [part.reshape(-1, n, n) for part in tensors]
    out = torch.empty_like(first, memory_format=torch.contiguous_format)
    view = out.view(-1, n, n)
    working = torch.promote_types(first.dtype, torch.float32)
    step = max(1, CHUNK // n**2)
    for start in range(0, len(view), step):
        parts = (part[start : start + step].permute(1, 2, 0).to(working).contiguous() for part in flat)
        view[start : start + step] = function(*parts).permute(2, 0, 1)
    return out


def _scale(logits: Tensor, iterations: int, sums: list[tuple[int, Tensor]] | None = None) -> tuple[Tensor, bool]:
    """The scaled matrices and whether they are logarithms; `sums` collects what each step divided by."""
    m = logits - _finite(logits.amax(1, keepdim=True))
    wide = not bool((m >= -SAFE).all())  # -inf and NaN count as wide
    m = m if wide else m.exp_()
    for _ in range(iterations):
        for axis in (1, 0):
            total = _log_sum(m, axis) if wide else m.sum(axis, keepdim=True)
            m = m.sub_(total) if wide else m.div_(total)
            if sums is not None:
                sums.append((axis, total))
    return m, wide


def _backward(logits: Tensor, grad: Tensor, iterations: int) -> Tensor:
    sums: list[tuple[int, Tensor]] = []  # of each step: its axis, and what it divided by
    m, wide = _scale(logits, iterations, sums)
    d = grad * _probabilities(m, wide)  # gradient with respect to log p
    for axis, total in reversed(sums):
        # Subtracting a log-sum is a log-softmax, whatever the domain: its gradient is d - p * sum(d).
        d = d - _probabilities(m, wide) * d.sum(axis, keepdim=True)
        m = m.add_(total) if wide else m.mul_(total)
    return d


def _probabilities(m: Tensor, wide: bool) -> Tensor:
    return m.exp() if wide else m


def _log_sum(z: Tensor, axis: int) -> Tensor:
    """log(sum(exp(z))), or 0 where there is nothing but -inf, which therefore stays."""
    top = _finite(z.amax(axis, keepdim=True))
    total = (z - top).exp().sum(axis, keepdim=True)
    return top + total.masked_fill(total == 0, 1).log()


def _finite(top: Tensor) -> Tensor:
    return top.masked_fill(top == -torch.inf, 0)

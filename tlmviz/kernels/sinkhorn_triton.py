"""Sinkhorn-Knopp in Triton: whole matrices stay in registers through all iterations, as base-2 logarithms.

Letters: M matrices of n x n, padded to N x N (a power of two) with -inf.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

TILE = 512  # padded entries one program holds
LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def _finite(top):
    return tl.where(top == float("-inf"), 0.0, top)


@triton.jit
def _log_sum(z, AXIS: tl.constexpr):
    """log2(sum(2^z)) along an axis, or 0 where there is nothing but -inf, which therefore stays."""
    top = _finite(tl.max(z, AXIS, keep_dims=True))
    total = tl.sum(tl.exp2(z - top), AXIS, keep_dims=True)
    return top + tl.log2(tl.where(total == 0.0, 1.0, total))


@triton.jit
def _cells(count, n, N: tl.constexpr, BLOCK_M: tl.constexpr):
    """Offsets and mask of this program's matrices [BLOCK_M, N, N], and their numbers [BLOCK_M, 1, 1]."""
    matrix = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)[:, None, None]
    i, j = tl.arange(0, N)[None, :, None], tl.arange(0, N)[None, None, :]
    return (matrix * n + i) * n + j, (matrix < count) & (i < n) & (j < n), matrix


@triton.jit
def sinkhorn_kernel(
    logits,
    out,
    sums,
    count,
    n,
    iterations,
    SAVE: tl.constexpr,
    ACC: tl.constexpr,
    N: tl.constexpr,
    BLOCK_M: tl.constexpr,
):
    """The scaled matrices; with SAVE their logarithms, and every log-sum taken off, [M, iterations, 2, n]."""
    where, inside, matrix = _cells(count, n, N, BLOCK_M)
    z = tl.load(logits + where, mask=inside, other=float("-inf")).to(ACC)
    z = (z - _finite(tl.max(z, 2, keep_dims=True))) * LOG2E  # in this order: logits of 1e4 keep their digits
    i, j = tl.arange(0, N)[None, :, None], tl.arange(0, N)[None, None, :]
    for t in range(iterations):
        by_row = _log_sum(z, 2)
        z -= by_row
        by_column = _log_sum(z, 1)
        z -= by_column
        if SAVE:
            slot = sums + (matrix * iterations + t) * 2 * n
            tl.store(slot + i, by_row, mask=(matrix < count) & (i < n))
            tl.store(slot + n + j, by_column, mask=(matrix < count) & (j < n))
    result = z if SAVE else tl.exp2(z)
    tl.store(out + where, result.to(out.dtype.element_ty), mask=inside)


@triton.jit
def sinkhorn_backward_kernel(
    scaled, sums, grad, dlogits, count, n, iterations, ACC: tl.constexpr, N: tl.constexpr, BLOCK_M: tl.constexpr
):
    """Undoes the iterations: taking off a log-sum is a log-softmax, whose gradient is d - p * sum(d)."""
    where, inside, matrix = _cells(count, n, N, BLOCK_M)
    z = tl.load(scaled + where, mask=inside, other=float("-inf"))
    d = tl.load(grad + where, mask=inside, other=0.0).to(ACC) * tl.exp2(z)
    i, j = tl.arange(0, N)[None, :, None], tl.arange(0, N)[None, None, :]
    for back in range(iterations):
        slot = sums + (matrix * iterations + iterations - 1 - back) * 2 * n
        d -= tl.exp2(z) * tl.sum(d, 1, keep_dims=True)
        z += tl.load(slot + n + j, mask=(matrix < count) & (j < n), other=0.0)
        d -= tl.exp2(z) * tl.sum(d, 2, keep_dims=True)
        z += tl.load(slot + i, mask=(matrix < count) & (i < n), other=0.0)
    tl.store(dlogits + where, d.to(dlogits.dtype.element_ty), mask=inside)


def sinkhorn(logits: Tensor, iterations: int, *, block: int | None = None) -> Tensor:
    """See `kernels.sinkhorn`. `block` is the number of matrices a program scales."""
    return Sinkhorn.apply(logits, iterations, block)


class Sinkhorn(torch.autograd.Function):
    """Keeps the logits only; backward runs the iterations again and saves their sums."""

    @staticmethod
    def forward(ctx, logits, iterations, block):
        logits = logits.contiguous()
        ctx.save_for_backward(logits)
        ctx.options = iterations, block
        out = torch.empty_like(logits)
        if logits.numel():
            n, count, grid, sizes = plan(logits, block)
            with torch.cuda.device_of(logits):
                sinkhorn_kernel[grid](logits, out, out, count, n, iterations, SAVE=False, **sizes)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (logits,) = ctx.saved_tensors
        iterations, block = ctx.options
        dlogits = torch.empty_like(logits)
        if logits.numel():
            n, count, grid, sizes = plan(logits, block)
            working = torch.promote_types(logits.dtype, torch.float32)
            scaled = torch.empty_like(logits, dtype=working)
            sums = torch.empty(count, iterations, 2, n, dtype=working, device=logits.device)
            with torch.cuda.device_of(logits):
                sinkhorn_kernel[grid](logits, scaled, sums, count, n, iterations, SAVE=True, **sizes)
                sinkhorn_backward_kernel[grid](scaled, sums, grad.contiguous(), dlogits, count, n, iterations, **sizes)
        return dlogits, None, None


def plan(logits, block):
    """Size and number of matrices, the grid, and the kernel's sizes."""
    n = logits.shape[-1]
    count = logits.numel() // n**2
    padded = triton.next_power_of_2(n)
    block = block or max(1, TILE // padded**2)
    acc = tl.float64 if logits.dtype == torch.float64 else tl.float32
    return n, count, (triton.cdiv(count, block),), dict(ACC=acc, N=padded, BLOCK_M=block, num_warps=1)

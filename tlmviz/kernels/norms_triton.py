"""Softmax and norms over rows in Triton, forward and backward.

Letters: R rows, N columns. A row that fits in one block stays in registers between its sum and its
result; a longer one is walked block by block, and read again for the result. `block` is the widest
block of columns; tests make it small so that short rows take the long way.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

TILE = 4096  # elements one program holds
WIDEST = 16384  # columns of the widest row held whole
LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def _tile(x, row, start, rows, length, other, ACC: tl.constexpr, BLOCK_N: tl.constexpr):
    """Columns start to start + BLOCK_N of some rows, with their offsets and mask."""
    col = start + tl.arange(0, BLOCK_N)
    inside = (row[:, None] < rows) & (col[None, :] < length)
    where = row[:, None].to(tl.int64) * length + col[None, :]
    return tl.load(x + where, mask=inside, other=other).to(ACC), where, inside


@triton.jit
def _finite(top):
    """The maximum to subtract: zero for a row of nothing but -inf, whose terms are then exp(-inf) = 0."""
    return tl.where(top == float("-inf"), 0.0, top)


@triton.jit
def softmax_kernel(
    x, out, rows, length, ONE_BLOCK: tl.constexpr, ACC: tl.constexpr, BLOCK_R: tl.constexpr, BLOCK_N: tl.constexpr
):
    """One pass in registers, or two over memory: maximum and sum online, then the quotients."""
    row = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    if ONE_BLOCK:
        z, where, inside = _tile(x, row, 0, rows, length, float("-inf"), ACC, BLOCK_N)
        # The scale of exp2 is folded in after subtracting: before, it would round logits of 1e4 to three digits.
        e = tl.exp2((z - _finite(tl.max(z, 1))[:, None]) * LOG2E)
        total = tl.sum(e, 1)
        p = e / tl.where(total == 0.0, 1.0, total)[:, None]
        tl.store(out + where, p.to(out.dtype.element_ty), mask=inside)
    else:
        top = tl.full((BLOCK_R,), float("-inf"), ACC)
        total = tl.zeros((BLOCK_R,), ACC)
        for start in range(0, length, BLOCK_N):
            z, where, inside = _tile(x, row, start, rows, length, float("-inf"), ACC, BLOCK_N)
            higher = tl.maximum(top, tl.max(z, 1))
            shift = _finite(higher)
            total = total * tl.exp2((top - shift) * LOG2E) + tl.sum(tl.exp2((z - shift[:, None]) * LOG2E), 1)
            top = higher
        top, total = _finite(top), tl.where(total == 0.0, 1.0, total)
        for start in range(0, length, BLOCK_N):
            z, where, inside = _tile(x, row, start, rows, length, float("-inf"), ACC, BLOCK_N)
            p = tl.exp2((z - top[:, None]) * LOG2E) / total[:, None]
            tl.store(out + where, p.to(out.dtype.element_ty), mask=inside)


@triton.jit
def softmax_backward_kernel(
    p, grad, dx, rows, length, ONE_BLOCK: tl.constexpr, ACC: tl.constexpr, BLOCK_R: tl.constexpr, BLOCK_N: tl.constexpr
):
    """dx = p * (grad - sum(p * grad))."""
    row = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    if ONE_BLOCK:
        p_tile, where, inside = _tile(p, row, 0, rows, length, 0.0, ACC, BLOCK_N)
        g_tile, where, inside = _tile(grad, row, 0, rows, length, 0.0, ACC, BLOCK_N)
        d = p_tile * (g_tile - tl.sum(p_tile * g_tile, 1)[:, None])
        tl.store(dx + where, d.to(dx.dtype.element_ty), mask=inside)
    else:
        dot = tl.zeros((BLOCK_R,), ACC)
        for start in range(0, length, BLOCK_N):
            p_tile, where, inside = _tile(p, row, start, rows, length, 0.0, ACC, BLOCK_N)
            g_tile, where, inside = _tile(grad, row, start, rows, length, 0.0, ACC, BLOCK_N)
            dot += tl.sum(p_tile * g_tile, 1)
        for start in range(0, length, BLOCK_N):
            p_tile, where, inside = _tile(p, row, start, rows, length, 0.0, ACC, BLOCK_N)
            g_tile, where, inside = _tile(grad, row, start, rows, length, 0.0, ACC, BLOCK_N)
            tl.store(dx + where, (p_tile * (g_tile - dot[:, None])).to(dx.dtype.element_ty), mask=inside)


@triton.jit
def _columns(vector, start, length, other, PRESENT: tl.constexpr, ACC: tl.constexpr, BLOCK_N: tl.constexpr):
    """A block of a weight or bias as one row; `other` where there is none."""
    if PRESENT:
        col = start + tl.arange(0, BLOCK_N)
        numbers = tl.load(vector + col, mask=col < length, other=other).to(ACC)
    else:
        numbers = tl.full((BLOCK_N,), other, ACC)
    return numbers[None, :]


@triton.jit
def norm_kernel(
    x,
    weight,
    bias,
    out,
    mean,
    rstd,
    rows,
    length,
    eps,
    CENTRE: tl.constexpr,
    WEIGHT: tl.constexpr,
    BIAS: tl.constexpr,
    ONE_BLOCK: tl.constexpr,
    ACC: tl.constexpr,
    BLOCK_R: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Layer norm (CENTRE) or RMS norm; keeps each row's mean and 1 / standard deviation for the backward pass."""
    row = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    m = tl.zeros((BLOCK_R,), ACC)
    square = tl.zeros((BLOCK_R,), ACC)
    if ONE_BLOCK:
        tile, where, inside = _tile(x, row, 0, rows, length, 0.0, ACC, BLOCK_N)
        if CENTRE:
            m = tl.sum(tile, 1) / length
            tile = tl.where(inside, tile - m[:, None], 0.0)
        r = tl.rsqrt(tl.sum(tile * tile, 1) / length + eps)
        w = _columns(weight, 0, length, 1.0, WEIGHT, ACC, BLOCK_N)
        y = tile * r[:, None] * w + _columns(bias, 0, length, 0.0, BIAS, ACC, BLOCK_N)
        tl.store(out + where, y.to(out.dtype.element_ty), mask=inside)
    else:
        if CENTRE:
            for start in range(0, length, BLOCK_N):
                tile, where, inside = _tile(x, row, start, rows, length, 0.0, ACC, BLOCK_N)
                m += tl.sum(tile, 1)
            m /= length
        # Squares of centred values in a pass of their own: mean(x^2) - mean^2 would cancel.
        for start in range(0, length, BLOCK_N):
            tile, where, inside = _tile(x, row, start, rows, length, 0.0, ACC, BLOCK_N)
            tile = tl.where(inside, tile - m[:, None], 0.0)
            square += tl.sum(tile * tile, 1)
        r = tl.rsqrt(square / length + eps)
        for start in range(0, length, BLOCK_N):
            tile, where, inside = _tile(x, row, start, rows, length, 0.0, ACC, BLOCK_N)
            w = _columns(weight, start, length, 1.0, WEIGHT, ACC, BLOCK_N)
            y = (tile - m[:, None]) * r[:, None] * w + _columns(bias, start, length, 0.0, BIAS, ACC, BLOCK_N)
            tl.store(out + where, y.to(out.dtype.element_ty), mask=inside)
    tl.store(mean + row, m, mask=row < rows)
    tl.store(rstd + row, r, mask=row < rows)


@triton.jit
def norm_backward_kernel(
    x,
    weight,
    mean,
    rstd,
    grad,
    dx,
    rows,
    length,
    CENTRE: tl.constexpr,
    WEIGHT: tl.constexpr,
    ONE_BLOCK: tl.constexpr,
    ACC: tl.constexpr,
    BLOCK_R: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """With n the normalised row and g = grad * weight: dx = rstd * (g - n * mean(n * g) - mean(g)), the last for
    CENTRE."""
    row = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    m = tl.load(mean + row, mask=row < rows, other=0.0)[:, None]
    r = tl.load(rstd + row, mask=row < rows, other=0.0)[:, None]
    along = tl.zeros((BLOCK_R,), ACC)
    level = tl.zeros((BLOCK_R,), ACC)
    if ONE_BLOCK:
        n, where, inside = _tile(x, row, 0, rows, length, 0.0, ACC, BLOCK_N)
        n = (n - m) * r
        g, where, inside = _tile(grad, row, 0, rows, length, 0.0, ACC, BLOCK_N)
        g *= _columns(weight, 0, length, 1.0, WEIGHT, ACC, BLOCK_N)
        along += tl.sum(n * g, 1) / length
        if CENTRE:
            level += tl.sum(g, 1) / length
        tl.store(dx + where, (r * (g - n * along[:, None] - level[:, None])).to(dx.dtype.element_ty), mask=inside)
    else:
        for start in range(0, length, BLOCK_N):
            n, where, inside = _tile(x, row, start, rows, length, 0.0, ACC, BLOCK_N)
            g, where, inside = _tile(grad, row, start, rows, length, 0.0, ACC, BLOCK_N)
            g *= _columns(weight, start, length, 1.0, WEIGHT, ACC, BLOCK_N)
            along += tl.sum((n - m) * r * g, 1) / length
            if CENTRE:
                level += tl.sum(g, 1) / length
        for start in range(0, length, BLOCK_N):
            n, where, inside = _tile(x, row, start, rows, length, 0.0, ACC, BLOCK_N)
            g, where, inside = _tile(grad, row, start, rows, length, 0.0, ACC, BLOCK_N)
            g *= _columns(weight, start, length, 1.0, WEIGHT, ACC, BLOCK_N)
            d = r * (g - (n - m) * r * along[:, None] - level[:, None])
            tl.store(dx + where, d.to(dx.dtype.element_ty), mask=inside)


@triton.jit
def norm_parameters_kernel(
    x,
    mean,
    rstd,
    grad,
    dweight,
    dbias,
    rows,
    length,
    chunk,
    ACC: tl.constexpr,
    BLOCK_R: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Sums of grad * normalised and of grad over one chunk of rows, for one block of columns."""
    part, start = tl.program_id(0), tl.program_id(1) * BLOCK_N
    dw = tl.zeros((BLOCK_N,), ACC)
    db = tl.zeros((BLOCK_N,), ACC)
    for first in range(part * chunk, min((part + 1) * chunk, rows), BLOCK_R):
        row = first + tl.arange(0, BLOCK_R)
        m = tl.load(mean + row, mask=row < rows, other=0.0)[:, None]
        r = tl.load(rstd + row, mask=row < rows, other=0.0)[:, None]
        n, where, inside = _tile(x, row, start, rows, length, 0.0, ACC, BLOCK_N)
        g, where, inside = _tile(grad, row, start, rows, length, 0.0, ACC, BLOCK_N)
        dw += tl.sum(g * (n - m) * r, 0)
        db += tl.sum(g, 0)
    col = start + tl.arange(0, BLOCK_N)
    tl.store(dweight + part * length + col, dw, mask=col < length)
    tl.store(dbias + part * length + col, db, mask=col < length)


def softmax(x: Tensor, *, block: int = WIDEST) -> Tensor:
    """See `kernels.softmax`."""
    return Softmax.apply(x, block)


def rms_norm(x: Tensor, weight: Tensor | None, eps: float, *, block: int = WIDEST) -> Tensor:
    """See `kernels.rms_norm`."""
    return Norm.apply(x, weight, None, eps, False, block)


def layer_norm(x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float, *, block: int = WIDEST) -> Tensor:
    """See `kernels.layer_norm`."""
    return Norm.apply(x, weight, bias, eps, True, block)


def plan(x, block):
    """Rows, columns, grid and the kernel's sizes for a contiguous x."""
    length = x.shape[-1]
    rows = x.numel() // length
    width = min(triton.next_power_of_2(length), block)
    tall = max(1, TILE // width)
    sizes = dict(
        BLOCK_R=tall,
        BLOCK_N=width,
        ACC=tl.float64 if x.dtype == torch.float64 else tl.float32,
        ONE_BLOCK=length <= width,
        num_warps=4 if width <= 4096 else 8 if width <= 8192 else 16,
    )
    return rows, length, (triton.cdiv(rows, tall),), sizes


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, block):
        x = x.contiguous()
        out = torch.empty_like(x)
        if x.numel():
            rows, length, grid, sizes = plan(x, block)
            with torch.cuda.device_of(x):
                softmax_kernel[grid](x, out, rows, length, **sizes)
        ctx.save_for_backward(out)
        ctx.block = block
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (p,) = ctx.saved_tensors
        dx = torch.empty_like(p)
        if p.numel():
            rows, length, grid, sizes = plan(p, ctx.block)
            with torch.cuda.device_of(p):
                softmax_backward_kernel[grid](p, grad.contiguous(), dx, rows, length, **sizes)
        return dx, None


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps, centre, block):
        x = x.contiguous()
        weight, bias = (part if part is None else part.contiguous() for part in (weight, bias))
        out = torch.empty_like(x)
        statistics = torch.empty(2, *x.shape[:-1], dtype=torch.promote_types(x.dtype, torch.float32), device=x.device)
        if x.numel():
            rows, length, grid, sizes = plan(x, block)
            present = dict(CENTRE=centre, WEIGHT=weight is not None, BIAS=bias is not None)
            with torch.cuda.device_of(x):
                norm_kernel[grid](x, weight, bias, out, *statistics, rows, length, eps, **present, **sizes)
        ctx.save_for_backward(x, weight, *statistics)
        ctx.centre, ctx.block, ctx.bias_dtype = centre, block, None if bias is None else bias.dtype
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        x, weight, mean, rstd = ctx.saved_tensors
        if not x.numel():
            empty = x.new_zeros(x.shape[-1:])
            return (
                torch.empty_like(x),
                *(empty if needed else None for needed in ctx.needs_input_grad[1:3]),
                None,
                None,
                None,
            )
        grad, dx, dw, db = grad.contiguous(), torch.empty_like(x), None, None
        rows, length, grid, sizes = plan(x, ctx.block)
        with torch.cuda.device_of(x):
            norm_backward_kernel[grid](
                x, weight, mean, rstd, grad, dx, rows, length, CENTRE=ctx.centre, WEIGHT=weight is not None, **sizes
            )
            if any(ctx.needs_input_grad[1:3]):
                dw, db = parameters(x, mean, rstd, grad, rows, length, ctx.block, sizes["ACC"])
        return (
            dx,
            dw.to(weight.dtype) if ctx.needs_input_grad[1] else None,
            db.to(ctx.bias_dtype) if ctx.needs_input_grad[2] else None,
            None,
            None,
            None,
        )


def parameters(x, mean, rstd, grad, rows, length, block, acc):
    """Gradients of weight and bias: partial sums over chunks of rows, then one sum over the chunks."""
    width = min(triton.next_power_of_2(length), block, 128)
    tall = max(1, min(32, TILE // width))
    parts = min(triton.cdiv(rows, tall), 64)
    chunk = triton.cdiv(rows, parts)
    dw, db = torch.empty(2, parts, length, dtype=mean.dtype, device=x.device)
    norm_parameters_kernel[parts, triton.cdiv(length, width)](
        x, mean, rstd, grad, dw, db, rows, length, chunk, ACC=acc, BLOCK_R=tall, BLOCK_N=width
    )
    return dw.sum(0), db.sum(0)

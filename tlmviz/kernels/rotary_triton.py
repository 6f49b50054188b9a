"""Rotary position embedding in Triton: one pass over x, read through its strides.

Letters: B batch, H the axes between, T positions, P rotated planes, D dimensions.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

TILE = 4096  # elements of x held by one program


@triton.jit
def rotate_kernel(
    x,
    out,
    cos,
    sin,
    length,
    dim,
    planes,
    heads,
    stride_b,
    stride_h,
    stride_t,
    stride_d,
    stride_table,
    INVERSE: tl.constexpr,
    INTERLEAVED: tl.constexpr,
    REST: tl.constexpr,
    ACC: tl.constexpr,
    BLOCK_T: tl.constexpr,
    BLOCK_P: tl.constexpr,
):
    """One block of positions of one head. REST covers the dimensions that stay, 0 when all turn."""
    slab = tl.program_id(0).to(tl.int64)  # index into [B, H]
    batch, head = slab // heads, slab % heads
    t = tl.program_id(1) * BLOCK_T + tl.arange(0, BLOCK_T)
    p = tl.arange(0, BLOCK_P)
    inside = t[:, None] < length
    here = inside & (p[None, :] < planes)
    angle = batch * stride_table + t[:, None] * planes + p[None, :]
    c = tl.load(cos + angle, mask=here, other=1.0).to(ACC)
    s = tl.load(sin + angle, mask=here, other=0.0).to(ACC)
    if INVERSE:
        s = -s
    source = x + batch * stride_b + head * stride_h + t[:, None].to(tl.int64) * stride_t
    target = out + (slab * length + t[:, None]) * dim
    if INTERLEAVED:
        # Whole rows are read and split in registers: two loads of stride 2 would waste half of each.
        d = tl.arange(0, 2 * BLOCK_P)[None, :]
        both = inside & (d < 2 * planes)
        tile = tl.load(source + d * stride_d, mask=both, other=0.0).to(ACC)
        a, b = tl.split(tl.reshape(tile, (BLOCK_T, BLOCK_P, 2)))
        turned = tl.reshape(tl.join(a * c - b * s, a * s + b * c), (BLOCK_T, 2 * BLOCK_P))
        tl.store(target + d, turned.to(out.dtype.element_ty), mask=both)
    else:
        a = tl.load(source + p[None, :] * stride_d, mask=here, other=0.0).to(ACC)
        b = tl.load(source + (p[None, :] + planes) * stride_d, mask=here, other=0.0).to(ACC)
        tl.store(target + p[None, :], (a * c - b * s).to(out.dtype.element_ty), mask=here)
        tl.store(target + p[None, :] + planes, (a * s + b * c).to(out.dtype.element_ty), mask=here)
    if REST > 0:
        d = 2 * planes + tl.arange(0, REST)[None, :]
        left = inside & (d < dim)
        tl.store(target + d, tl.load(source + d * stride_d, mask=left), mask=left)


def rotate(x: Tensor, cos: Tensor, sin: Tensor, *, layout: str, block: int | None = None) -> Tensor:
    """See `kernels.rotate`. `block` is the number of positions a program turns."""
    return Rotate.apply(x, cos.contiguous(), sin.contiguous(), layout, block)


class Rotate(torch.autograd.Function):
    """Backward turns the other way by the same kernel: a rotation's transpose is its inverse."""

    @staticmethod
    def forward(ctx, x, cos, sin, layout, block):
        ctx.save_for_backward(cos, sin)
        ctx.options = layout, block
        return launch(x, cos, sin, *ctx.options, inverse=False)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return launch(grad, *ctx.saved_tensors, *ctx.options, inverse=True), None, None, None, None


def launch(x, cos, sin, layout, block, inverse):
    """Run the kernel over [B, H, T, D]; the result is contiguous."""
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    if x.numel() == 0:
        return out
    length, dim, planes = *x.shape[-2:], cos.shape[-1]
    batch = x.shape[0] if x.ndim > 2 else 1
    x = x.reshape(batch, -1, length, dim)  # a view for the usual [B, H, T, D], whatever its strides
    width = triton.next_power_of_2(max(planes, 1))
    block = block or max(1, TILE // (2 * width))
    with torch.cuda.device_of(x):
        rotate_kernel[batch * x.shape[1], triton.cdiv(length, block)](
            x,
            out,
            cos,
            sin,
            length,
            dim,
            planes,
            x.shape[1],
            *x.stride(),
            length * planes if cos.ndim == 3 else 0,
            INVERSE=inverse,
            INTERLEAVED=layout == "interleaved",
            REST=triton.next_power_of_2(dim - 2 * planes) if dim > 2 * planes else 0,
            ACC=tl.float64 if x.dtype == torch.float64 else tl.float32,
            BLOCK_T=block,
            BLOCK_P=width,
        )
    return out

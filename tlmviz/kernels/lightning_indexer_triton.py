"""The lightning indexer in Triton: a tile of scores summed over the heads in registers."""

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

from .reference import lightning_indexer as reference


@triton.jit
def index_scores_kernel(
    q,
    k,
    w,
    out,
    heads,
    queries,
    keys,
    dim,
    q_b,
    q_h,
    q_t,
    q_d,
    k_b,
    k_s,
    k_d,
    w_b,
    w_t,
    w_h,
    CAUSAL: tl.constexpr,
    ACC: tl.constexpr,
    BLOCK_T: tl.constexpr,
    BLOCK_S: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """One tile [BLOCK_T, BLOCK_S]: the keys are read once, the heads' queries one after the other."""
    batch = tl.program_id(2).to(tl.int64)
    t = tl.program_id(1) * BLOCK_T + tl.arange(0, BLOCK_T)
    s = tl.program_id(0) * BLOCK_S + tl.arange(0, BLOCK_S)
    d = tl.arange(0, BLOCK_D)
    own = t + keys - queries  # each query's place among the keys
    scores = tl.zeros((BLOCK_T, BLOCK_S), ACC)
    visible = (t[:, None] < queries) & (s[None, :] < keys)
    if CAUSAL:
        visible = visible & (s[None, :] <= own[:, None])
        last = tl.program_id(1) * BLOCK_T + BLOCK_T - 1 + keys - queries
        needed = tl.program_id(0) * BLOCK_S <= last
    else:
        needed = True
    if needed:  # a tile wholly in the future is only filled
        k_tile = tl.load(
            k + batch * k_b + s[None, :].to(tl.int64) * k_s + d[:, None] * k_d,
            mask=(s[None, :] < keys) & (d[:, None] < dim),
            other=0.0,
        )  # [BLOCK_D, BLOCK_S]
        q_at = q + batch * q_b + t[:, None].to(tl.int64) * q_t + d[None, :] * q_d
        w_at = w + batch * w_b + t.to(tl.int64) * w_t
        for head in range(heads):
            q_tile = tl.load(q_at + head * q_h, mask=(t[:, None] < queries) & (d[None, :] < dim), other=0.0)
            products = tl.dot(q_tile, k_tile, input_precision="ieee").to(ACC)
            weight = tl.load(w_at + head * w_h, mask=t < queries, other=0.0).to(ACC)
            scores += weight[:, None] * tl.maximum(products, 0.0)
    at = out + (batch * queries + t[:, None]) * keys + s[None, :]
    tl.store(at, tl.where(visible, scores, float("-inf")), mask=(t[:, None] < queries) & (s[None, :] < keys))


def index_scores(q: Tensor, k: Tensor, w: Tensor, *, causal: bool, blocks: tuple[int, int] = (64, 64)) -> Tensor:
    """See `kernels.index_scores`. `blocks` are the rows and columns of a tile, powers of two from 16."""
    return IndexScores.apply(q, k, w, causal, blocks)


class IndexScores(torch.autograd.Function):
    """Backward goes through the torch reference, which recomputes a strip of rows at a time."""

    @staticmethod
    def forward(ctx, q, k, w, causal, blocks):
        ctx.save_for_backward(q, k, w)
        ctx.causal = causal
        batch, heads, queries, dim = q.shape
        keys = k.shape[1]
        k = k.to(q.dtype)  # one type for the product
        working = torch.promote_types(q.dtype, torch.float32)
        out = torch.empty(batch, queries, keys, dtype=working, device=q.device)
        if out.numel():
            with torch.cuda.device_of(q):
                index_scores_kernel[triton.cdiv(keys, blocks[1]), triton.cdiv(queries, blocks[0]), batch](
                    q,
                    k,
                    w,
                    out,
                    heads,
                    queries,
                    keys,
                    dim,
                    *q.stride(),
                    *k.stride(),
                    *w.stride(),
                    CAUSAL=causal,
                    ACC=tl.float64 if q.dtype == torch.float64 else tl.float32,
                    BLOCK_T=blocks[0],
                    BLOCK_S=blocks[1],
                    BLOCK_D=max(16, triton.next_power_of_2(dim)),
                )
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        inputs = [part.detach().requires_grad_(needed) for part, needed in zip(ctx.saved_tensors, ctx.needs_input_grad)]
        with torch.enable_grad():
            scores = reference.index_scores(*inputs, causal=ctx.causal)
        wanted = [part for part in inputs if part.requires_grad]
        found = iter(torch.autograd.grad(scores, wanted, grad))
        return *(next(found) if part.requires_grad else None for part in inputs), None, None

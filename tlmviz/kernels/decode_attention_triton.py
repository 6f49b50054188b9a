"""One decoding step in Triton: the cache is read in parts by many programs, then the parts are combined
(Flash-Decoding)."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from . import tiles_triton as tiles
from .tiles_triton import key_limit, visible

BLOCK = 64  # keys read at once
SHORTEST = 256  # keys worth a program of their own
MOST_SPLITS = 128  # parts one program combines


def decode_attention(q, k, v, table, mask, scale, splits=None, block: int | None = None):
    """See `kernels.decode_attention`."""
    lengths, window, slopes = mask.lengths, mask.window, mask.slopes
    batch, heads, _, width = q.shape
    groups, page, values = k.shape[1], k.shape[2], v.shape[3]
    keys = page if table is None else page * table.shape[1]
    out = torch.empty(batch, heads, 1, values, dtype=q.dtype, device=q.device)
    lse = torch.empty(batch, heads, 1, dtype=torch.float32, device=q.device)
    if not out.numel() or not keys or not k.shape[0]:
        return out.zero_(), lse.fill_(-torch.inf)
    splits = splits or choose_splits(q, batch * groups, min(keys, window or keys))
    parts = torch.empty(batch, heads, splits, values, dtype=torch.float32, device=q.device)
    weights = torch.empty(batch, heads, splits, dtype=torch.float32, device=q.device)
    with tiles.launching(q):
        parts_kernel[(batch * groups * splits,)](
            q,
            k,
            v,
            parts,
            weights,
            tiles.whole(table),
            tiles.whole(lengths),
            tiles.whole(slopes),
            q.stride(0),
            q.stride(1),
            q.stride(3),
            *k.stride(),
            *v.stride(),
            groups,
            heads // groups,
            keys,
            page,
            min(window or 0, keys),
            scale * tiles.LOG2E,
            splits,
            D=width,
            E=values,
            BLOCK_R=max(16, triton.next_power_of_2(heads // groups)),
            BLOCK_N=block or BLOCK,
            BLOCK_D=tiles.padded(width),
            BLOCK_E=tiles.padded(values),
            PAGED=table is not None,
            LENGTHS=lengths is not None,
            WINDOW=window is not None,
            ALIBI=slopes is not None,
            PRECISION=tiles.precision(q),
            num_warps=4,
            num_stages=2 if width <= 128 else 1,
        )
        combine_kernel[(batch * heads,)](
            parts,
            weights,
            out,
            lse,
            splits,
            E=values,
            BLOCK_S=triton.next_power_of_2(splits),
            BLOCK_E=tiles.padded(values),
            num_warps=4,
        )
    return out, lse


def choose_splits(q: torch.Tensor, programs: int, keys: int) -> int:
    """Enough parts to give every multiprocessor two programs, none shorter than is worth starting one for."""
    processors = torch.cuda.get_device_properties(q.device).multi_processor_count if q.is_cuda else 1
    wanted = triton.cdiv(2 * processors, programs)
    return max(1, min(wanted, triton.cdiv(keys, SHORTEST), MOST_SPLITS))


@triton.jit
def parts_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    parts_ptr,
    weights_ptr,
    table_ptr,
    lengths_ptr,
    slopes_ptr,
    stride_qb,
    stride_qh,
    stride_qd,
    stride_kb,
    stride_kg,
    stride_ks,
    stride_kd,
    stride_vb,
    stride_vg,
    stride_vs,
    stride_ve,
    groups,
    group,
    keys,
    page,
    window,
    scale,
    splits,
    D: tl.constexpr,
    E: tl.constexpr,
    BLOCK_R: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_E: tl.constexpr,
    PAGED: tl.constexpr,
    LENGTHS: tl.constexpr,
    WINDOW: tl.constexpr,
    ALIBI: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """One program: the query heads of one key/value head against one part of its keys; out is not yet divided."""
    split, shared = tl.program_id(0) % splits, tl.program_id(0) // splits
    batch, key_head = (shared // groups).to(tl.int64), (shared % groups).to(tl.int64)
    members = tl.arange(0, BLOCK_R)
    here = members < group
    inner_d, inner_e = tl.arange(0, BLOCK_D), tl.arange(0, BLOCK_E)
    head = key_head * group + members
    q_ptrs = q_ptr + batch * stride_qb + head[:, None] * stride_qh + inner_d[None, :] * stride_qd
    q = tl.load(q_ptrs, mask=here[:, None] & (inner_d[None, :] < D), other=0.0)
    slope = tl.zeros([BLOCK_R], tl.float32)
    if ALIBI:
        slope = tl.load(slopes_ptr + head, mask=here, other=0.0).to(tl.float32) * 1.4426950408889634

    limit = key_limit(lengths_ptr, batch, keys, LENGTHS)
    first = tl.zeros_like(limit)
    if WINDOW:
        first = tl.maximum(limit - window, 0)
    # Parts share what this row really holds, so that short rows of a batch are split as well as long ones.
    length = tl.cdiv(tl.cdiv(limit - first, splits), BLOCK_N) * BLOCK_N
    start = first + split * length
    stop = tl.minimum(start + length, limit)

    acc = tl.zeros([BLOCK_R, BLOCK_E], tl.float32)
    m_i = tl.full([BLOCK_R], float("-inf"), tl.float32)
    l_i = tl.zeros([BLOCK_R], tl.float32)
    for at in range(start, stop, BLOCK_N):
        index = at + tl.arange(0, BLOCK_N)
        inside = index < stop
        if PAGED:
            number = tl.load(table_ptr + batch * tl.cdiv(keys, page) + index // page, mask=inside, other=0).to(tl.int64)
            k_at = number * stride_kb + (index % page) * stride_ks
            v_at = number * stride_vb + (index % page) * stride_vs
        else:
            k_at = batch * stride_kb + index.to(tl.int64) * stride_ks
            v_at = batch * stride_vb + index.to(tl.int64) * stride_vs
        k_ptrs = k_ptr + key_head * stride_kg + k_at[:, None] + inner_d[None, :] * stride_kd
        k = tl.load(k_ptrs, mask=inside[:, None] & (inner_d[None, :] < D), other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision=PRECISION) * scale  # [BLOCK_R, BLOCK_N]
        distance = limit - 1 - index[None, :]
        if ALIBI:
            scores -= slope[:, None] * distance.to(tl.float32)
        scores = tl.where(
            visible(distance, index[None, :], stop, window, 0, 0, True, WINDOW, False), scores, float("-inf")
        )
        m_new = tl.maximum(m_i, tl.max(scores, 1))  # finite: the tile's first key is always seen
        p = tl.exp2(scores - m_new[:, None])
        alpha = tl.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v_ptrs = v_ptr + key_head * stride_vg + v_at[:, None] + inner_e[None, :] * stride_ve
        v = tl.load(v_ptrs, mask=inside[:, None] & (inner_e[None, :] < E), other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision=PRECISION)
        m_i = m_new

    row = (batch * groups * group + head) * splits + split
    acc = acc / tl.where(l_i == 0.0, 1.0, l_i)[:, None]
    tl.store(parts_ptr + row[:, None] * E + inner_e[None, :], acc, mask=here[:, None] & (inner_e[None, :] < E))
    lse = tl.where(l_i == 0.0, float("-inf"), m_i + tl.log2(l_i))
    tl.store(weights_ptr + row, lse, mask=here)


@triton.jit
def combine_kernel(
    parts_ptr, weights_ptr, out_ptr, lse_ptr, splits, E: tl.constexpr, BLOCK_S: tl.constexpr, BLOCK_E: tl.constexpr
):
    """One program: one head's parts, each weighted by its share exp2(lse_part - lse) of the whole sum."""
    row = tl.program_id(0).to(tl.int64)
    part, inner = tl.arange(0, BLOCK_S), tl.arange(0, BLOCK_E)
    lse = tl.load(weights_ptr + row * splits + part, mask=part < splits, other=float("-inf"))
    m_i = tl.max(lse, 0)
    m_safe = tl.where(m_i == float("-inf"), 0.0, m_i)
    share = tl.exp2(lse - m_safe)
    l_i = tl.sum(share, 0)
    inside = (part[:, None] < splits) & (inner[None, :] < E)
    parts = tl.load(parts_ptr + (row * splits + part[:, None]) * E + inner[None, :], mask=inside, other=0.0)
    out = tl.sum(parts * share[:, None], 0) / tl.where(l_i == 0.0, 1.0, l_i)
    tl.store(out_ptr + row * E + inner, out.to(out_ptr.dtype.element_ty), mask=inner < E)
    tl.store(lse_ptr + row, tl.where(l_i == 0.0, float("-inf"), (m_safe + tl.log2(l_i)) * 0.6931471805599453))

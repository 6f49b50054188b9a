"""Attention in Triton: tiled online softmax (Milakov and Gimelshein 2018; FlashAttention-2, Dao 2023)."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from . import tiles_triton as tiles
from .attention_backward_triton import backward
from .differentiable import differentiable
from .tiles_triton import biased, key_limit, key_span, load_tile, store_tile, visible


def forward(q, k, v, mask, scale, tile: tiles.Tile | None = None):
    """out [B, H, T, E] in q's type and natural lse [B, H, T] in float32."""
    batch, heads, queries, width = q.shape
    groups, keys, values = k.shape[1], k.shape[2], v.shape[3]
    out = torch.empty(batch, heads, queries, values, dtype=q.dtype, device=q.device)
    lse = torch.empty(batch, heads, queries, dtype=torch.float32, device=q.device)
    if scale < 0:  # the running maximum is taken before scaling, which must therefore keep the order
        q, scale = -q, -scale
    table = tiles.EXACT if q.dtype == torch.float32 else tiles.FORWARD
    tile = tile or tiles.choose(table, q, max(width, values))
    grid = (triton.cdiv(queries, tile.rows) * batch * heads,)
    if out.numel() == 0:
        return out, lse.fill_(-torch.inf)
    with tiles.launching(q):
        forward_kernel[grid](
            q,
            k,
            v,
            out,
            lse,
            *q.stride(),
            *k.stride(),
            *v.stride(),
            heads,
            heads // groups,
            queries,
            keys,
            scale * tiles.LOG2E,
            **tiles.mask_arguments(mask, queries, keys),
            D=width,
            E=values,
            BLOCK_M=tile.rows,
            BLOCK_N=tile.cols,
            BLOCK_D=tiles.padded(width),
            BLOCK_E=tiles.padded(values),
            PRECISION=tiles.precision(q),
            num_warps=tile.warps,
            num_stages=tile.stages,
        )
    return out, lse


attention = differentiable(forward, backward)


@triton.jit
def forward_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    lse_ptr,
    stride_qb,
    stride_qh,
    stride_qt,
    stride_qd,
    stride_kb,
    stride_kg,
    stride_ks,
    stride_kd,
    stride_vb,
    stride_vg,
    stride_vs,
    stride_ve,
    heads,
    group,
    queries,
    keys,
    scale,
    slopes_ptr,
    query_ids_ptr,
    key_ids_ptr,
    lengths_ptr,
    window,
    D: tl.constexpr,
    E: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_E: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    ALIBI: tl.constexpr,
    SEGMENTS: tl.constexpr,
    LENGTHS: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """One program: one block of queries of one head against every tile of keys that it sees."""
    blocks = tl.cdiv(queries, BLOCK_M)
    row_head = tl.program_id(0) // blocks
    # Under a causal mask the last rows have most to do: they start first, so that no long one is left over.
    block = blocks - 1 - tl.program_id(0) % blocks
    batch, head = (row_head // heads).to(tl.int64), (row_head % heads).to(tl.int64)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    positions = rows + (keys - queries)

    q_base = q_ptr + batch * stride_qb + head * stride_qh + tl.cast(block, tl.int64) * BLOCK_M * stride_qt
    q = load_tile(q_base, tl.arange(0, BLOCK_M), stride_qt, queries - block * BLOCK_M, stride_qd, D, BLOCK_D, True)
    k_base = k_ptr + batch * stride_kb + (head // group) * stride_kg
    v_base = v_ptr + batch * stride_vb + (head // group) * stride_vg
    slope, query_ids, ids_base = 0.0, rows, key_ids_ptr
    if ALIBI:
        slope = tl.load(slopes_ptr + head).to(tl.float32) * 1.4426950408889634
    if SEGMENTS:
        query_ids = tl.load(query_ids_ptr + batch * queries + rows, mask=rows < queries, other=0)
        ids_base = key_ids_ptr + batch * keys

    limit = key_limit(lengths_ptr, batch, keys, LENGTHS)
    first = block * BLOCK_M + keys - queries
    last = tl.minimum((block + 1) * BLOCK_M, queries) - 1 + keys - queries
    start, full, past, stop = key_span(first, last, limit, window, BLOCK_N, CAUSAL, WINDOW, SEGMENTS)

    acc = tl.zeros([BLOCK_M, BLOCK_E], tl.float32)  # sum of exp2(score - m_i) v
    m_i = tl.full([BLOCK_M], float("-inf"), tl.float32)
    l_i = tl.zeros([BLOCK_M], tl.float32)  # sum of exp2(score - m_i)
    if WINDOW:
        acc, m_i, l_i = _attn_inner(
            acc,
            m_i,
            l_i,
            q,
            k_base,
            v_base,
            start,
            full,
            positions,
            query_ids,
            ids_base,
            limit,
            window,
            scale,
            slope,
            stride_ks,
            stride_kd,
            stride_vs,
            stride_ve,
            D,
            E,
            BLOCK_N,
            BLOCK_D,
            BLOCK_E,
            CAUSAL,
            WINDOW,
            ALIBI,
            SEGMENTS,
            PRECISION,
            True,
        )
    if not SEGMENTS:
        acc, m_i, l_i = _attn_inner(
            acc,
            m_i,
            l_i,
            q,
            k_base,
            v_base,
            full,
            past,
            positions,
            query_ids,
            ids_base,
            limit,
            window,
            scale,
            slope,
            stride_ks,
            stride_kd,
            stride_vs,
            stride_ve,
            D,
            E,
            BLOCK_N,
            BLOCK_D,
            BLOCK_E,
            CAUSAL,
            WINDOW,
            ALIBI,
            SEGMENTS,
            PRECISION,
            False,
        )
    acc, m_i, l_i = _attn_inner(
        acc,
        m_i,
        l_i,
        q,
        k_base,
        v_base,
        past,
        stop,
        positions,
        query_ids,
        ids_base,
        limit,
        window,
        scale,
        slope,
        stride_ks,
        stride_kd,
        stride_vs,
        stride_ve,
        D,
        E,
        BLOCK_N,
        BLOCK_D,
        BLOCK_E,
        CAUSAL,
        WINDOW,
        ALIBI,
        SEGMENTS,
        PRECISION,
        True,
    )

    # A row that saw nothing has l_i = 0: dividing by 1 leaves zeros, and log2(0) is the lse it should have.
    acc = acc / tl.where(l_i == 0.0, 1.0, l_i)[:, None]
    lse = tl.where(l_i == 0.0, float("-inf"), (m_i + tl.log2(l_i)) * 0.6931471805599453)
    row0 = tl.cast(row_head, tl.int64) * queries
    tl.store(lse_ptr + row0 + rows, lse, mask=rows < queries)
    store_tile(out_ptr + row0 * E, acc, rows.to(tl.int64), queries, E, BLOCK_E)


@triton.jit
def _attn_inner(
    acc,
    m_i,
    l_i,
    q,
    k_base,
    v_base,
    start,
    stop,
    positions,
    query_ids,
    ids_base,
    limit,
    window,
    scale,
    slope,
    stride_ks,
    stride_kd,
    stride_vs,
    stride_ve,
    D: tl.constexpr,
    E: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_E: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    ALIBI: tl.constexpr,
    SEGMENTS: tl.constexpr,
    PRECISION: tl.constexpr,
    MASKED: tl.constexpr,
):
    """Online softmax over the keys from start to stop; MASKED tiles check every cell, the others none."""
    step_k, step_v = (tl.cast(stride_ks, tl.int64), tl.cast(stride_vs, tl.int64))  # long contexts pass 2^31 elements
    for at in range(start, stop, BLOCK_N):
        inner = tl.arange(0, BLOCK_N)
        k = load_tile(k_base + at * step_k, inner, stride_ks, limit - at, stride_kd, D, BLOCK_D, MASKED)
        qk = tl.dot(q, tl.trans(k), input_precision=PRECISION)  # [BLOCK_M, BLOCK_N]
        keys = (at + inner)[None, :]
        distance = positions[:, None] - keys
        if MASKED or ALIBI:
            scores = biased(qk, distance, scale, slope, ALIBI)
            if MASKED:
                key_ids = keys
                if SEGMENTS:
                    key_ids = tl.load(ids_base + keys, mask=keys < limit, other=0)
                seen = visible(distance, keys, limit, window, query_ids[:, None], key_ids, CAUSAL, WINDOW, SEGMENTS)
                scores = tl.where(seen, scores, float("-inf"))
            m_new = tl.maximum(m_i, tl.max(scores, 1))
            m_safe = tl.where(m_new == float("-inf"), 0.0, m_new)  # nothing was seen yet, and -inf - -inf is NaN
            p = tl.exp2(scores - m_safe[:, None])
        else:
            m_new = tl.maximum(m_i, tl.max(qk, 1) * scale)
            m_safe = m_new
            p = tl.exp2(qk * scale - m_new[:, None])  # one fused multiply-add
        alpha = tl.exp2(m_i - m_safe)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = load_tile(v_base + at * step_v, inner, stride_vs, limit - at, stride_ve, E, BLOCK_E, MASKED)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision=PRECISION)
        m_i = m_new
    return acc, m_i, l_i

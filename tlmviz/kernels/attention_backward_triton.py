"""The gradients of attention in Triton: each tile of probabilities is recomputed from q, k and lse.

With p = exp(score - lse) and delta = sum(grad_out * out) - grad_lse per row (softmax's own gradient, and
lse's): dV = p' grad_out, dS = p * (grad_out V' - delta), dQ = scale * dS K, dK = scale * dS' Q.
Source: Dao 2023 (FlashAttention-2), algorithm 2.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from . import tiles_triton as tiles
from .tiles_triton import biased, key_limit, key_span, load_tile, store_tile, visible


def backward(q, k, v, out, lse, grad_out, grad_lse, mask, scale, tile: tiles.Tile | None = None):
    """grad_q, grad_k, grad_v, and no gradient of a mask's part, as it has none of them; either incoming gradient may be
    None."""
    batch, heads, queries, width = q.shape
    groups, keys, values = k.shape[1], k.shape[2], v.shape[3]
    grads = [torch.empty(part.shape, dtype=part.dtype, device=part.device) for part in (q, k, v)]
    if not queries or not keys or not batch:
        return *(grad.zero_() for grad in grads), {}
    grad_out = torch.zeros_like(out) if grad_out is None else grad_out.contiguous()
    delta = torch.empty_like(lse)
    table = tiles.EXACT_BACKWARD if q.dtype == torch.float32 else tiles.BACKWARD
    tile = tile or tiles.choose(table, q, max(width, values))
    sizes = (heads, heads // groups, queries, keys, scale * tiles.LOG2E, scale)
    options = dict(
        tiles.mask_arguments(mask, queries, keys),
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
    strides = (*q.stride(), *k.stride(), *v.stride())
    row_blocks, key_blocks = triton.cdiv(queries, tile.rows), triton.cdiv(keys, tile.cols)
    with tiles.launching(q):
        delta_kernel[(triton.cdiv(lse.numel(), 64),)](
            out,
            grad_out,
            tiles.whole(grad_lse),
            delta,
            lse.numel(),
            E=values,
            BLOCK_M=64,
            BLOCK_E=tiles.padded(values),
            WITH_LSE=grad_lse is not None,
        )
        keys_kernel[(key_blocks * batch * groups,)](
            q, k, v, grad_out, lse, delta, grads[1], grads[2], *strides, *sizes, **options
        )
        # The queries' kernel walks along the keys, so the longer side of the tile lies across them.
        queries_kernel[(row_blocks * batch * heads,)](
            q, k, v, grad_out, lse, delta, grads[0], *strides, *sizes, **options
        )
    return *grads, {}


@triton.jit
def delta_kernel(
    out_ptr,
    grad_ptr,
    grad_lse_ptr,
    delta_ptr,
    rows_total,
    E: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_E: tl.constexpr,
    WITH_LSE: tl.constexpr,
):
    """delta = sum(grad_out * out) - grad_lse, one number per query."""
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    out = load_tile(out_ptr, rows, E, rows_total, 1, E, BLOCK_E, True).to(tl.float32)
    grad = load_tile(grad_ptr, rows, E, rows_total, 1, E, BLOCK_E, True).to(tl.float32)
    delta = tl.sum(out * grad, 1)
    if WITH_LSE:
        delta -= tl.load(grad_lse_ptr + rows, mask=rows < rows_total, other=0.0)
    tl.store(delta_ptr + rows, delta, mask=rows < rows_total)


@triton.jit
def keys_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    grad_ptr,
    lse_ptr,
    delta_ptr,
    grad_k_ptr,
    grad_v_ptr,
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
    natural_scale,
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
    """One program: dK and dV of one block of keys, summed over the query heads that share it."""
    blocks = tl.cdiv(keys, BLOCK_N)
    key_head, block = tl.program_id(0) // blocks, tl.program_id(0) % blocks
    groups = heads // group
    batch, shared = (key_head // groups).to(tl.int64), (key_head % groups).to(tl.int64)
    at_key = block * BLOCK_N
    index = at_key + tl.arange(0, BLOCK_N)
    limit = key_limit(lengths_ptr, batch, keys, LENGTHS)
    k_base = k_ptr + batch * stride_kb + shared * stride_kg + tl.cast(at_key, tl.int64) * stride_ks
    v_base = v_ptr + batch * stride_vb + shared * stride_vg + tl.cast(at_key, tl.int64) * stride_vs
    k = load_tile(k_base, tl.arange(0, BLOCK_N), stride_ks, limit - at_key, stride_kd, D, BLOCK_D, True)
    v = load_tile(v_base, tl.arange(0, BLOCK_N), stride_vs, limit - at_key, stride_ve, E, BLOCK_E, True)
    key_ids = index
    if SEGMENTS:
        key_ids = tl.load(key_ids_ptr + batch * keys + index, mask=index < keys, other=0)

    # Rows that see any of these keys, [begin, end), and among them those that see all, [full, past).
    offset = keys - queries
    begin = tl.zeros_like(limit)
    full = begin
    end = begin + queries
    past = end
    if CAUSAL:
        begin = tl.maximum(at_key - offset, 0) // BLOCK_M * BLOCK_M
        full = tl.cdiv(tl.maximum(at_key + BLOCK_N - 1 - offset, 0), BLOCK_M) * BLOCK_M
    elif WINDOW:
        begin = tl.maximum(at_key - window + 1 - offset, 0) // BLOCK_M * BLOCK_M
        full = tl.cdiv(tl.maximum(at_key + BLOCK_N - window - offset, 0), BLOCK_M) * BLOCK_M
    if WINDOW:
        end = tl.minimum(end, tl.maximum(at_key + BLOCK_N - 1 + window - offset, 0))
        past = tl.minimum(past, tl.maximum(at_key + window - offset, 0))
    if at_key >= limit:
        end = begin  # nobody may see these keys
    if SEGMENTS or at_key + BLOCK_N > limit:
        past = begin
    full = tl.minimum(full, end)
    past = tl.maximum(past // BLOCK_M * BLOCK_M, full)

    grad_k = tl.zeros([BLOCK_N, BLOCK_D], tl.float32)
    grad_v = tl.zeros([BLOCK_N, BLOCK_E], tl.float32)
    for member in range(group):
        head = shared * group + member
        row0 = (batch * heads + head) * queries
        q_base = q_ptr + batch * stride_qb + head * stride_qh
        slope = 0.0
        if ALIBI:
            slope = tl.load(slopes_ptr + head).to(tl.float32) * 1.4426950408889634
        grad_k, grad_v = _rows(
            grad_k,
            grad_v,
            k,
            v,
            q_base,
            grad_ptr + row0 * E,
            lse_ptr + row0,
            delta_ptr + row0,
            begin,
            full,
            index,
            query_ids_ptr + batch * queries if SEGMENTS else query_ids_ptr,
            key_ids,
            limit,
            window,
            scale,
            slope,
            stride_qt,
            stride_qd,
            queries,
            offset,
            D,
            E,
            BLOCK_M,
            BLOCK_D,
            BLOCK_E,
            CAUSAL,
            WINDOW,
            ALIBI,
            SEGMENTS,
            PRECISION,
            True,
        )
        grad_k, grad_v = _rows(
            grad_k,
            grad_v,
            k,
            v,
            q_base,
            grad_ptr + row0 * E,
            lse_ptr + row0,
            delta_ptr + row0,
            full,
            past,
            index,
            query_ids_ptr,
            key_ids,
            limit,
            window,
            scale,
            slope,
            stride_qt,
            stride_qd,
            queries,
            offset,
            D,
            E,
            BLOCK_M,
            BLOCK_D,
            BLOCK_E,
            CAUSAL,
            WINDOW,
            ALIBI,
            SEGMENTS,
            PRECISION,
            False,
        )
        grad_k, grad_v = _rows(
            grad_k,
            grad_v,
            k,
            v,
            q_base,
            grad_ptr + row0 * E,
            lse_ptr + row0,
            delta_ptr + row0,
            past,
            end,
            index,
            query_ids_ptr + batch * queries if SEGMENTS else query_ids_ptr,
            key_ids,
            limit,
            window,
            scale,
            slope,
            stride_qt,
            stride_qd,
            queries,
            offset,
            D,
            E,
            BLOCK_M,
            BLOCK_D,
            BLOCK_E,
            CAUSAL,
            WINDOW,
            ALIBI,
            SEGMENTS,
            PRECISION,
            True,
        )
    key0 = tl.cast(key_head, tl.int64) * keys
    store_tile(grad_k_ptr + key0 * D, grad_k * natural_scale, index.to(tl.int64), keys, D, BLOCK_D)
    store_tile(grad_v_ptr + key0 * E, grad_v, index.to(tl.int64), keys, E, BLOCK_E)


@triton.jit
def _rows(
    grad_k,
    grad_v,
    k,
    v,
    q_base,
    grad_base,
    lse_base,
    delta_base,
    start,
    stop,
    index,
    query_ids_base,
    key_ids,
    limit,
    window,
    scale,
    slope,
    stride_qt,
    stride_qd,
    queries,
    offset,
    D: tl.constexpr,
    E: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_E: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    ALIBI: tl.constexpr,
    SEGMENTS: tl.constexpr,
    PRECISION: tl.constexpr,
    MASKED: tl.constexpr,
):
    """Add what the queries from start to stop give to one block of keys; tiles are [keys, queries]."""
    step = tl.cast(stride_qt, tl.int64)
    for at in range(start, stop, BLOCK_M):
        inner = tl.arange(0, BLOCK_M)
        rows = at + inner
        q = load_tile(q_base + at * step, inner, stride_qt, queries - at, stride_qd, D, BLOCK_D, MASKED)
        lse = tl.load(lse_base + rows, mask=rows < queries, other=float("inf")) * 1.4426950408889634
        # A row that saw nothing gives nothing: exp2(score - inf) is 0, exp2(-inf - -inf) would be NaN.
        lse = tl.where(lse == float("-inf"), float("inf"), lse)
        distance = rows[None, :] + offset - index[:, None]
        scores = biased(tl.dot(k, tl.trans(q), input_precision=PRECISION), distance, scale, slope, ALIBI)
        if MASKED:
            query_ids = rows
            if SEGMENTS:
                query_ids = tl.load(query_ids_base + rows, mask=rows < queries, other=0)
            seen = visible(
                distance, index[:, None], limit, window, query_ids[None, :], key_ids[:, None], CAUSAL, WINDOW, SEGMENTS
            )
            scores = tl.where(seen, scores, float("-inf"))
        p = tl.exp2(scores - lse[None, :])  # [BLOCK_N, BLOCK_M]
        grad = load_tile(grad_base + tl.cast(at, tl.int64) * E, inner, E, queries - at, 1, E, BLOCK_E, MASKED)
        grad_v = tl.dot(p.to(grad.dtype), grad, grad_v, input_precision=PRECISION)
        delta = tl.load(delta_base + rows, mask=rows < queries, other=0.0)
        grad_s = p * (tl.dot(v, tl.trans(grad), input_precision=PRECISION) - delta[None, :])
        grad_k = tl.dot(grad_s.to(q.dtype), q, grad_k, input_precision=PRECISION)
    return grad_k, grad_v


@triton.jit
def queries_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    grad_ptr,
    lse_ptr,
    delta_ptr,
    grad_q_ptr,
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
    natural_scale,
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
    """One program: dQ of one block of queries, from every tile of keys that it sees."""
    blocks = tl.cdiv(queries, BLOCK_M)
    row_head, block = tl.program_id(0) // blocks, blocks - 1 - tl.program_id(0) % blocks
    batch, head = (row_head // heads).to(tl.int64), (row_head % heads).to(tl.int64)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    row0 = tl.cast(row_head, tl.int64) * queries
    inner = tl.arange(0, BLOCK_M)
    left = queries - block * BLOCK_M
    q_base = q_ptr + batch * stride_qb + head * stride_qh + tl.cast(block, tl.int64) * BLOCK_M * stride_qt
    q = load_tile(q_base, inner, stride_qt, left, stride_qd, D, BLOCK_D, True)
    grad = load_tile(grad_ptr + (row0 + block * BLOCK_M) * E, inner, E, left, 1, E, BLOCK_E, True)
    lse = tl.load(lse_ptr + row0 + rows, mask=rows < queries, other=float("inf")) * 1.4426950408889634
    lse = tl.where(lse == float("-inf"), float("inf"), lse)
    delta = tl.load(delta_ptr + row0 + rows, mask=rows < queries, other=0.0)
    k_base = k_ptr + batch * stride_kb + (head // group) * stride_kg
    v_base = v_ptr + batch * stride_vb + (head // group) * stride_vg
    slope, query_ids, ids_base = 0.0, rows, key_ids_ptr
    if ALIBI:
        slope = tl.load(slopes_ptr + head).to(tl.float32) * 1.4426950408889634
    if SEGMENTS:
        query_ids = tl.load(query_ids_ptr + batch * queries + rows, mask=rows < queries, other=0)
        ids_base = key_ids_ptr + batch * keys

    limit = key_limit(lengths_ptr, batch, keys, LENGTHS)
    offset = keys - queries
    first, last = block * BLOCK_M + offset, tl.minimum((block + 1) * BLOCK_M, queries) - 1 + offset
    start, full, past, stop = key_span(first, last, limit, window, BLOCK_N, CAUSAL, WINDOW, SEGMENTS)
    grad_q = tl.zeros([BLOCK_M, BLOCK_D], tl.float32)
    if WINDOW:
        grad_q = _keys(
            grad_q,
            q,
            grad,
            lse,
            delta,
            k_base,
            v_base,
            start,
            full,
            rows + offset,
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
    grad_q = _keys(
        grad_q,
        q,
        grad,
        lse,
        delta,
        k_base,
        v_base,
        full,
        past,
        rows + offset,
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
    grad_q = _keys(
        grad_q,
        q,
        grad,
        lse,
        delta,
        k_base,
        v_base,
        past,
        stop,
        rows + offset,
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
    store_tile(grad_q_ptr + row0 * D, grad_q * natural_scale, rows.to(tl.int64), queries, D, BLOCK_D)


@triton.jit
def _keys(
    grad_q,
    q,
    grad,
    lse,
    delta,
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
    """Add what the keys from start to stop give to one block of queries; tiles are [queries, keys]."""
    step_k, step_v = tl.cast(stride_ks, tl.int64), tl.cast(stride_vs, tl.int64)
    for at in range(start, stop, BLOCK_N):
        inner = tl.arange(0, BLOCK_N)
        k = load_tile(k_base + at * step_k, inner, stride_ks, limit - at, stride_kd, D, BLOCK_D, MASKED)
        v = load_tile(v_base + at * step_v, inner, stride_vs, limit - at, stride_ve, E, BLOCK_E, MASKED)
        keys = (at + inner)[None, :]
        distance = positions[:, None] - keys
        scores = biased(tl.dot(q, tl.trans(k), input_precision=PRECISION), distance, scale, slope, ALIBI)
        if MASKED:
            key_ids = keys
            if SEGMENTS:
                key_ids = tl.load(ids_base + keys, mask=keys < limit, other=0)
            seen = visible(distance, keys, limit, window, query_ids[:, None], key_ids, CAUSAL, WINDOW, SEGMENTS)
            scores = tl.where(seen, scores, float("-inf"))
        p = tl.exp2(scores - lse[:, None])
        grad_s = p * (tl.dot(grad, tl.trans(v), input_precision=PRECISION) - delta[:, None])
        grad_q = tl.dot(grad_s.to(k.dtype), k, grad_q, input_precision=PRECISION)
    return grad_q

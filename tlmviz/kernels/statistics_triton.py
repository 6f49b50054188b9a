"""Per head and row statistics of the attention map in Triton: one pass over the keys, O(T) memory."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from . import tiles_triton as tiles
from .tiles_triton import biased, key_limit, key_span, load_tile, visible

NAMES = ("entropy", "peak", "sink", "self", "previous", "distance", "max_logit")
TILE = tiles.Tile(64, 64, 4, 2)


def head_statistics(q, k, lse, ids, bands, mask, scale, tile: tiles.Tile | None = None):
    """See `kernels.head_statistics`."""
    batch, heads, queries, width = q.shape
    keys, tile = k.shape[2], tile or tiles.choose({10**6: TILE}, q, width)
    names = (*NAMES, "induction") if ids is not None else NAMES
    count = (max(queries, keys, 1) - 1).bit_length() + 1
    fill = torch.empty if keys else torch.zeros
    result = fill(len(names), batch, heads, queries, dtype=torch.float32, device=q.device)
    shares = fill(batch, heads, queries, count if bands else 0, dtype=torch.float32, device=q.device)
    if batch and queries and keys:
        with tiles.launching(q):
            statistics_kernel[(triton.cdiv(queries, tile.rows) * batch * heads,)](
                q,
                k,
                tiles.whole(lse),
                tiles.whole(ids),
                result,
                shares,
                *q.stride(),
                *k.stride(),
                heads,
                heads // k.shape[1],
                queries,
                keys,
                scale * tiles.LOG2E,
                batch * heads * queries,
                count,
                **tiles.mask_arguments(mask, queries, keys),
                D=width,
                BLOCK_M=tile.rows,
                BLOCK_N=tile.cols,
                BLOCK_D=tiles.padded(width),
                BLOCK_BANDS=triton.next_power_of_2(count),
                PRECISION=tiles.precision(q),
                INDUCTION=ids is not None,
                BANDS=bands,
                num_warps=tile.warps,
                num_stages=tile.stages,
            )
    return dict(zip(names, result.unbind())) | ({"bands": shares} if bands else {})


@triton.jit
def statistics_kernel(
    q_ptr,
    k_ptr,
    lse_ptr,
    ids_ptr,
    result_ptr,
    bands_ptr,
    stride_qb,
    stride_qh,
    stride_qt,
    stride_qd,
    stride_kb,
    stride_kg,
    stride_ks,
    stride_kd,
    heads,
    group,
    queries,
    keys,
    scale,
    row_total,
    band_count,
    slopes_ptr,
    query_ids_ptr,
    key_ids_ptr,
    lengths_ptr,
    window,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_BANDS: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    ALIBI: tl.constexpr,
    SEGMENTS: tl.constexpr,
    LENGTHS: tl.constexpr,
    PRECISION: tl.constexpr,
    INDUCTION: tl.constexpr,
    BANDS: tl.constexpr,
):
    """One program: every statistic of one block of queries of one head."""
    blocks = tl.cdiv(queries, BLOCK_M)
    row_head, block = tl.program_id(0) // blocks, blocks - 1 - tl.program_id(0) % blocks
    batch, head = (row_head // heads).to(tl.int64), (row_head % heads).to(tl.int64)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    positions = rows + (keys - queries)
    q_base = q_ptr + batch * stride_qb + head * stride_qh + tl.cast(block, tl.int64) * BLOCK_M * stride_qt
    q = load_tile(q_base, tl.arange(0, BLOCK_M), stride_qt, queries - block * BLOCK_M, stride_qd, D, BLOCK_D, True)
    row0 = tl.cast(row_head, tl.int64) * queries
    lse = tl.load(lse_ptr + row0 + rows, mask=rows < queries, other=float("inf")).to(tl.float32) * 1.4426950408889634
    lse = tl.where(lse == float("-inf"), float("inf"), lse)  # a row that saw nothing has p = 0 everywhere
    k_base = k_ptr + batch * stride_kb + (head // group) * stride_kg
    slope, query_ids, tokens = 0.0, rows, rows
    if ALIBI:
        slope = tl.load(slopes_ptr + head).to(tl.float32) * 1.4426950408889634
    if SEGMENTS:
        query_ids = tl.load(query_ids_ptr + batch * queries + rows, mask=rows < queries, other=0)
    if INDUCTION:
        tokens = tl.load(ids_ptr + tl.maximum(positions, 0), mask=rows < queries, other=0)

    limit = key_limit(lengths_ptr, batch, keys, LENGTHS)
    first = block * BLOCK_M + keys - queries
    last = tl.minimum((block + 1) * BLOCK_M, queries) - 1 + keys - queries
    start, _full, _past, stop = key_span(first, last, limit, window, BLOCK_N, CAUSAL, WINDOW, SEGMENTS)
    if INDUCTION:
        # Copies count although a window may hide them: the row then has mass 0, not "no copy".
        start, stop = 0, tl.maximum(stop, tl.minimum(last + 1, keys))
    entropy = tl.zeros([BLOCK_M], tl.float32)
    sink, own, previous, reach, induction, copies = entropy, entropy, entropy, entropy, entropy, entropy
    best = tl.full([BLOCK_M], float("-inf"), tl.float32)
    shares = tl.zeros([BLOCK_M, BLOCK_BANDS], tl.float32)
    step = tl.cast(stride_ks, tl.int64)
    for at in range(start, stop, BLOCK_N):
        index = at + tl.arange(0, BLOCK_N)
        k = load_tile(k_base + at * step, tl.arange(0, BLOCK_N), stride_ks, limit - at, stride_kd, D, BLOCK_D, True)
        columns = index[None, :]
        distance = positions[:, None] - columns
        logp = biased(tl.dot(q, tl.trans(k), input_precision=PRECISION), distance, scale, slope, ALIBI) - lse[:, None]
        key_ids = columns
        if SEGMENTS:
            key_ids = tl.load(key_ids_ptr + batch * keys + columns, mask=columns < keys, other=0)
        seen = visible(distance, columns, limit, window, query_ids[:, None], key_ids, CAUSAL, WINDOW, SEGMENTS)
        p = tl.where(seen, tl.exp2(logp), 0.0)
        entropy -= tl.sum(tl.where(p > 0.0, p * logp, 0.0), 1)  # 0 log 0 = 0
        best = tl.maximum(best, tl.max(tl.where(seen, logp, float("-inf")), 1))
        sink += tl.sum(tl.where(columns == 0, p, 0.0), 1)
        own += tl.sum(tl.where(distance == 0, p, 0.0), 1)
        previous += tl.sum(tl.where(distance == 1, p, 0.0), 1)
        reach += tl.sum(p * distance.to(tl.float32), 1)
        if INDUCTION:
            before = tl.load(ids_ptr + columns - 1, mask=(columns >= 1) & (columns < keys), other=0)
            follows = (before == tokens[:, None]) & (distance >= 0) & (columns >= 1) & (columns < keys)
            induction += tl.sum(tl.where(follows, p, 0.0), 1)
            copies = tl.maximum(copies, tl.max(follows.to(tl.float32), 1))
        if BANDS:
            away = tl.abs(distance)
            # Far from the diagonal a tile lies in one band or two: only those between its corners are summed.
            nearest = tl.maximum(tl.maximum(first - at - BLOCK_N + 1, at - last), 0)
            farthest = tl.maximum(tl.maximum(last - at, at + BLOCK_N - 1 - first), 1)
            low = tl.maximum(tl.log2(tl.maximum(nearest, 1).to(tl.float32)).to(tl.int32), 0)
            low = tl.where(nearest < 2, 0, low)
            # One to spare for rounding.
            high = tl.minimum(tl.log2(farthest.to(tl.float32)).to(tl.int32) + 3, band_count)
            for band in range(low, high):
                begin = tl.where(band == 0, 0, 1 << tl.maximum(band - 1, 0))
                end = tl.where(band == 0, 1, 2 * begin)
                mass = tl.sum(tl.where((away >= begin) & (away < end), p, 0.0), 1)
                shares += tl.where(tl.arange(0, BLOCK_BANDS)[None, :] == band, mass[:, None], 0.0)

    inside = rows < queries
    at = result_ptr + row0 + rows
    total = tl.cast(row_total, tl.int64)
    tl.store(at, entropy * 0.6931471805599453, mask=inside)
    tl.store(at + total, tl.exp2(best), mask=inside)
    tl.store(at + 2 * total, sink, mask=inside)
    tl.store(at + 3 * total, own, mask=inside)
    tl.store(at + 4 * total, previous, mask=inside)
    tl.store(at + 5 * total, reach, mask=inside)
    largest = tl.where(lse == float("inf"), float("-inf"), best + lse)
    tl.store(at + 6 * total, largest * 0.6931471805599453, mask=inside)
    if INDUCTION:
        tl.store(at + 7 * total, tl.where(copies > 0.0, induction, float("nan")), mask=inside)
    if BANDS:
        number = tl.arange(0, BLOCK_BANDS)[None, :]
        where = (row0 + rows)[:, None] * band_count + number
        tl.store(bands_ptr + where, shares, mask=inside[:, None] & (number < band_count))

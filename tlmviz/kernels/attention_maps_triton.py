"""The attention map in Triton, recomputed from q, k and lse: tiles and pooled pictures (statistics:
statistics_triton)."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from . import tiles_triton as tiles
from .statistics_triton import head_statistics
from .tiles_triton import biased, key_limit, key_span, load_tile, visible

__all__ = ["attention_map", "attention_scores", "head_statistics", "pooled_attention_map"]

CELLS = tiles.Tile(64, 64, 4, 1)  # one tile of a map that is written out


def attention_scores(q, k, rows, cols, mask, scale):
    """See `kernels.attention_scores`."""
    return _cells(q, k, None, rows, cols, mask, scale)


def attention_map(q, k, lse, rows, cols, mask, scale):
    """See `kernels.attention_map`."""
    return _cells(q, k, lse, rows, cols, mask, scale)


def _cells(q, k, lse, rows, cols, mask, scale, tile: tiles.Tile | None = None):
    batch, heads, queries, width = q.shape
    keys, tile = k.shape[2], tile or CELLS
    rows, cols = range(queries)[rows], range(keys)[cols]
    out = torch.empty(batch, heads, len(rows), len(cols), dtype=torch.float32, device=q.device)
    if not out.numel():
        return out
    grid = (triton.cdiv(len(rows), tile.rows) * triton.cdiv(len(cols), tile.cols) * batch * heads,)
    with tiles.launching(q):
        cells_kernel[grid](
            q,
            k,
            tiles.whole(lse),
            out,
            *q.stride(),
            *k.stride(),
            heads,
            heads // k.shape[1],
            queries,
            keys,
            scale,
            rows.start,
            rows.step,
            len(rows),
            cols.start,
            cols.step,
            len(cols),
            **tiles.mask_arguments(mask, queries, keys),
            D=width,
            BLOCK_M=tile.rows,
            BLOCK_N=tile.cols,
            BLOCK_D=tiles.padded(width),
            PRECISION=tiles.precision(q),
            AS_MAP=lse is not None,
            num_warps=tile.warps,
            num_stages=tile.stages,
        )
    return out


def pooled_attention_map(q, k, lse, size, reduce, mask, scale, tile: tiles.Tile | None = None):
    """See `kernels.pooled_attention_map`.

    One program per part of a strip of bins writes one number per tile of keys; torch reduces those parts.
    """
    batch, heads, queries, width = q.shape
    groups, keys = k.shape[1], k.shape[2]
    if not queries or not keys or not batch:
        return torch.zeros(batch, heads, size, size, dtype=torch.float32, device=q.device)
    tall, wide = _widest(queries, size), _widest(keys, size)
    tile = tile or _pool_tile(q, width, tall, wide)
    down, across = triton.cdiv(tall, tile.rows), triton.cdiv(wide, tile.cols)  # tiles of one bin
    # Tiles that no program visits are hidden: zero.
    parts = torch.zeros(batch, heads, size, down, size, across, dtype=torch.float32, device=q.device)
    even = not (queries % (size * tile.rows) or keys % (size * tile.cols))
    with tiles.launching(q):
        pool_kernel[(size * down * batch * heads,)](
            q,
            k,
            tiles.whole(lse),
            parts,
            *q.stride(),
            *k.stride(),
            heads,
            heads // groups,
            queries,
            keys,
            scale * tiles.LOG2E,
            size,
            down,
            across,
            **tiles.mask_arguments(mask, queries, keys),
            D=width,
            BLOCK_M=tile.rows,
            BLOCK_N=tile.cols,
            BLOCK_D=tiles.padded(width),
            PRECISION=tiles.precision(q),
            MAXIMUM=reduce == "max",
            EVEN=even,
            num_warps=tile.warps,
            num_stages=tile.stages,
        )
    if reduce == "max":
        return parts.amax((3, 5))
    picture = parts.sum((3, 5))
    if reduce == "mean":
        picture /= _bin_lengths(queries, size, q.device)[:, None] * _bin_lengths(keys, size, q.device)
    return picture


def _bin_lengths(length: int, size: int, device) -> torch.Tensor:
    edge = torch.arange(size, device=device)
    return -((-(edge + 1) * length) // size) - edge * length // size


def _widest(length: int, size: int) -> int:
    """Cells of the widest bin floor(iT/n)..ceil((i+1)T/n): bins that fit exactly have no cell in common."""
    return length // size if length % size == 0 else length // size + 2


def _pool_tile(q: torch.Tensor, width: int, tall: int, wide: int) -> tiles.Tile:
    """The tile that wastes least of a bin, the larger one of equals."""
    exact = q.dtype == torch.float32
    largest = 64 if exact or width > 128 else 128

    def cut(length: int) -> int:
        return min(
            (64 if exact else 128, 64, 32, 16), key=lambda side: -(-length // side) * side + (side > largest) * 10**6
        )

    return tiles.choose({10**6: tiles.Tile(cut(tall), cut(wide), 8 if not exact else 4, 3)}, q, width)


@triton.jit
def cells_kernel(
    q_ptr,
    k_ptr,
    lse_ptr,
    out_ptr,
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
    row_start,
    row_step,
    row_count,
    col_start,
    col_step,
    col_count,
    slopes_ptr,
    query_ids_ptr,
    key_ids_ptr,
    lengths_ptr,
    window,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    ALIBI: tl.constexpr,
    SEGMENTS: tl.constexpr,
    LENGTHS: tl.constexpr,
    PRECISION: tl.constexpr,
    AS_MAP: tl.constexpr,
):
    """One program: one tile of the scores, or of the probabilities (AS_MAP), every row_step'th row and col_step'th
    column."""
    across = tl.cdiv(col_count, BLOCK_N)
    down = tl.cdiv(row_count, BLOCK_M)
    pid = tl.program_id(0)
    row_head = pid // (across * down)
    batch, head = (row_head // heads).to(tl.int64), (row_head % heads).to(tl.int64)
    at_row = pid // across % down * BLOCK_M + tl.arange(0, BLOCK_M)
    at_col = pid % across * BLOCK_N + tl.arange(0, BLOCK_N)
    # Beyond the tile, indices point past the tensor and are neither read nor written.
    rows = tl.where(at_row < row_count, row_start + at_row * row_step, queries).to(tl.int64)
    cols = tl.where(at_col < col_count, col_start + at_col * col_step, keys).to(tl.int64)
    limit = key_limit(lengths_ptr, batch, keys, LENGTHS)

    q = load_tile(q_ptr + batch * stride_qb + head * stride_qh, rows, stride_qt, queries, stride_qd, D, BLOCK_D, True)
    k_base = k_ptr + batch * stride_kb + (head // group) * stride_kg
    k = load_tile(k_base, cols, stride_ks, limit, stride_kd, D, BLOCK_D, True)
    slope, query_ids, key_ids = 0.0, rows, cols
    if ALIBI:
        slope = tl.load(slopes_ptr + head).to(tl.float32)
    if SEGMENTS:
        query_ids = tl.load(query_ids_ptr + batch * queries + rows, mask=rows < queries, other=0)
        key_ids = tl.load(key_ids_ptr + batch * keys + cols, mask=cols < keys, other=0)
    distance = rows[:, None] + (keys - queries) - cols[None, :]
    # Scores are shown to people: in natural units here, so that they equal q.k * scale to the last digit.
    scores = biased(tl.dot(q, tl.trans(k), input_precision=PRECISION), distance, scale, slope, ALIBI)
    seen = visible(
        distance, cols[None, :], limit, window, query_ids[:, None], key_ids[None, :], CAUSAL, WINDOW, SEGMENTS
    )
    scores = tl.where(seen, scores, float("-inf"))
    if AS_MAP:
        lse = tl.load(lse_ptr + row_head.to(tl.int64) * queries + rows, mask=rows < queries, other=0.0).to(tl.float32)
        lse = tl.where(lse == float("-inf"), 0.0, lse)
        scores = tl.exp2((scores - lse[:, None]) * 1.4426950408889634)
    out = out_ptr + row_head.to(tl.int64) * row_count * col_count
    where = at_row[:, None].to(tl.int64) * col_count + at_col[None, :]
    tl.store(out + where, scores, mask=(at_row[:, None] < row_count) & (at_col[None, :] < col_count))


@triton.jit
def pool_kernel(
    q_ptr,
    k_ptr,
    lse_ptr,
    parts_ptr,
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
    size,
    down,
    across,
    slopes_ptr,
    query_ids_ptr,
    key_ids_ptr,
    lengths_ptr,
    window,
    D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    ALIBI: tl.constexpr,
    SEGMENTS: tl.constexpr,
    LENGTHS: tl.constexpr,
    PRECISION: tl.constexpr,
    MAXIMUM: tl.constexpr,
    EVEN: tl.constexpr,
):
    """One program: BLOCK_M rows of one row of bins against every tile of keys that they see, one number per tile.

    Tile n belongs to bin n // across. EVEN bins are whole tiles, side by side: those inside need no mask.
    """
    pid = tl.program_id(0)
    row_head, strip = pid // (size * down), size * down - 1 - pid % (size * down)  # the longest first
    batch, head = (row_head // heads).to(tl.int64), (row_head % heads).to(tl.int64)
    bin_row = (strip // down).to(tl.int64)
    begin = bin_row * queries // size + strip % down * BLOCK_M
    end = tl.minimum(((bin_row + 1) * queries + size - 1) // size, begin + BLOCK_M)
    rows = begin + tl.arange(0, BLOCK_M)
    offset = keys - queries

    q = load_tile(q_ptr + batch * stride_qb + head * stride_qh, rows, stride_qt, end, stride_qd, D, BLOCK_D, True)
    lse_at = lse_ptr + row_head.to(tl.int64) * queries + rows
    lse = tl.load(lse_at, mask=rows < end, other=float("inf")).to(tl.float32) * 1.4426950408889634
    lse = tl.where(lse == float("-inf"), float("inf"), lse)  # rows outside, and rows that saw nothing, give 0
    k_base = k_ptr + batch * stride_kb + (head // group) * stride_kg
    slope, query_ids, ids_base = 0.0, rows, key_ids_ptr
    if ALIBI:
        slope = tl.load(slopes_ptr + head).to(tl.float32) * 1.4426950408889634
    if SEGMENTS:
        query_ids = tl.load(query_ids_ptr + batch * queries + rows, mask=rows < end, other=0)
        ids_base = key_ids_ptr + batch * keys
    limit = key_limit(lengths_ptr, batch, keys, LENGTHS)
    start, full, past, stop = key_span(
        (begin + offset).to(tl.int32), (end - 1 + offset).to(tl.int32), limit, window, BLOCK_N, CAUSAL, WINDOW, SEGMENTS
    )
    parts = parts_ptr + ((row_head.to(tl.int64) * size * down + strip) * size) * across
    if begin < end:
        if EVEN:
            first_tile, first_full, past_full = start // BLOCK_N, full // BLOCK_N, past // BLOCK_N
            _pool(
                parts,
                q,
                lse,
                k_base,
                first_tile,
                tl.cdiv(full, BLOCK_N),
                rows + offset,
                query_ids,
                ids_base,
                limit,
                window,
                scale,
                slope,
                stride_ks,
                stride_kd,
                keys,
                size,
                across,
                D,
                BLOCK_N,
                BLOCK_D,
                CAUSAL,
                WINDOW,
                ALIBI,
                SEGMENTS,
                PRECISION,
                MAXIMUM,
                True,
                True,
            )
            _pool(
                parts,
                q,
                lse,
                k_base,
                first_full,
                past_full,
                rows + offset,
                query_ids,
                ids_base,
                limit,
                window,
                scale,
                slope,
                stride_ks,
                stride_kd,
                keys,
                size,
                across,
                D,
                BLOCK_N,
                BLOCK_D,
                CAUSAL,
                WINDOW,
                ALIBI,
                SEGMENTS,
                PRECISION,
                MAXIMUM,
                True,
                False,
            )
            _pool(
                parts,
                q,
                lse,
                k_base,
                past_full,
                tl.cdiv(stop, BLOCK_N),
                rows + offset,
                query_ids,
                ids_base,
                limit,
                window,
                scale,
                slope,
                stride_ks,
                stride_kd,
                keys,
                size,
                across,
                D,
                BLOCK_N,
                BLOCK_D,
                CAUSAL,
                WINDOW,
                ALIBI,
                SEGMENTS,
                PRECISION,
                MAXIMUM,
                True,
                True,
            )
        elif stop > start:
            # The bins of the first and the last key; a shared edge may put one more bin in front.
            first_bin = tl.maximum((start.to(tl.int64) * size // keys).to(tl.int32) - 1, 0)
            last_bin = tl.minimum((((stop - 1).to(tl.int64) + 1) * size // keys).to(tl.int32), size - 1)
            _pool(
                parts,
                q,
                lse,
                k_base,
                first_bin * across,
                (last_bin + 1) * across,
                rows + offset,
                query_ids,
                ids_base,
                limit,
                window,
                scale,
                slope,
                stride_ks,
                stride_kd,
                keys,
                size,
                across,
                D,
                BLOCK_N,
                BLOCK_D,
                CAUSAL,
                WINDOW,
                ALIBI,
                SEGMENTS,
                PRECISION,
                MAXIMUM,
                False,
                True,
            )


@triton.jit
def _pool(
    parts,
    q,
    lse,
    k_base,
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
    keys,
    size,
    across,
    D: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    ALIBI: tl.constexpr,
    SEGMENTS: tl.constexpr,
    PRECISION: tl.constexpr,
    MAXIMUM: tl.constexpr,
    EVEN: tl.constexpr,
    MASKED: tl.constexpr,
):
    """Reduce tiles start..stop of keys to one number each."""
    step = tl.cast(stride_ks, tl.int64)
    for number in range(start, stop):
        inner = tl.arange(0, BLOCK_N)
        if EVEN:
            at = number * BLOCK_N
            bound = limit
        else:
            bin_col = tl.cast(number // across, tl.int64)
            at = (bin_col * keys // size).to(tl.int32) + number % across * BLOCK_N
            bound = tl.minimum(limit, (((bin_col + 1) * keys + size - 1) // size).to(tl.int32))
        k = load_tile(k_base + at * step, inner, stride_ks, bound - at, stride_kd, D, BLOCK_D, MASKED)
        columns = (at + inner)[None, :]
        distance = positions[:, None] - columns
        scores = biased(tl.dot(q, tl.trans(k), input_precision=PRECISION), distance, scale, slope, ALIBI) - lse[:, None]
        if MASKED:
            key_ids = columns
            if SEGMENTS:
                key_ids = tl.load(ids_base + columns, mask=columns < bound, other=0)
            seen = visible(distance, columns, bound, window, query_ids[:, None], key_ids, CAUSAL, WINDOW, SEGMENTS)
            scores = tl.where(seen, scores, float("-inf"))
        if MAXIMUM:
            part = tl.exp2(tl.max(tl.max(scores, 1), 0))  # max commutes with exp2: one exponential per tile
        else:
            part = tl.sum(tl.sum(tl.exp2(scores), 1), 0)
        tl.store(parts + number, part)

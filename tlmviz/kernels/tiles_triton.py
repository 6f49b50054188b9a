"""What the attention kernels share: tile sizes, which keys a block of queries sees, and how scores are made.

Scores live in base 2 inside the kernels: scale and slopes come multiplied by log2(e), so that exp2,
the only exponential the hardware has, needs no further product.
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

import torch
import triton
import triton.language as tl

LOG2E = 1.4426950408889634
LN2 = 0.6931471805599453


class Tile(NamedTuple):
    """Queries and keys of one tile, warps of one program, tiles loaded ahead."""

    rows: int
    cols: int
    warps: int
    stages: int


# By head dimension (the larger of D and E, up to the key): forward and backward for 16-bit inputs.
FORWARD = {64: Tile(128, 128, 8, 3), 128: Tile(128, 64, 8, 3), 256: Tile(64, 64, 8, 2), 512: Tile(32, 32, 4, 2)}
BACKWARD = {64: Tile(64, 128, 8, 3), 128: Tile(64, 64, 8, 2), 256: Tile(32, 64, 8, 2), 512: Tile(16, 32, 4, 1)}
# Products of float32 in full precision run on the ordinary units: small tiles, or registers spill.
EXACT = {64: Tile(64, 32, 4, 2), 128: Tile(32, 32, 4, 2), 256: Tile(16, 32, 4, 1), 512: Tile(16, 16, 4, 1)}
EXACT_BACKWARD = {64: Tile(32, 32, 4, 1), 128: Tile(16, 32, 4, 1), 512: Tile(16, 16, 4, 1)}
SHARED_MEMORY = 96 * 1024  # bytes that every card since 2020 gives one program


def choose(table: dict[int, Tile], q: torch.Tensor, width: int) -> Tile:
    """The table's tile for a head dimension, with fewer tiles ahead where the device's shared memory is short."""
    tile = next((tile for limit, tile in sorted(table.items()) if width <= limit), min(table.values()))
    free = SHARED_MEMORY
    if q.is_cuda:
        properties = torch.cuda.get_device_properties(q.device)
        free = getattr(properties, "shared_memory_per_block_optin", free)
    stages = tile.stages
    while stages > 1 and (tile.rows + 2 * stages * tile.cols) * padded(width) * q.element_size() > free:
        stages -= 1
    return tile._replace(stages=stages)


def padded(width: int) -> int:
    """The power of two that holds a head dimension; a matrix product needs at least 16."""
    return max(16, triton.next_power_of_2(width))


def precision(tensor: torch.Tensor) -> str:
    """float32 inputs are multiplied exactly, not rounded to TF32's 10 bits."""
    return "ieee" if tensor.dtype == torch.float32 else "tf32"


def launching(tensor: torch.Tensor):
    """Launch on the tensor's own device; in the interpreter there is none."""
    return torch.cuda.device(tensor.device) if tensor.is_cuda else contextlib.nullcontext()


def whole(tensor: torch.Tensor | None) -> torch.Tensor | None:
    """A contiguous tensor, or none: small ones are indexed by position alone."""
    return None if tensor is None else tensor.contiguous()


def mask_arguments(mask, queries: int, keys: int) -> dict:
    """The arguments by which every attention kernel knows its mask."""
    return dict(
        slopes_ptr=whole(mask.slopes),
        query_ids_ptr=whole(mask.query_ids),
        key_ids_ptr=whole(mask.key_ids),
        lengths_ptr=whole(mask.lengths),
        window=min(mask.window or 0, queries + keys),
        CAUSAL=mask.causal,
        WINDOW=mask.window is not None,
        ALIBI=mask.slopes is not None,
        SEGMENTS=mask.query_ids is not None,
        LENGTHS=mask.lengths is not None,
    )


@triton.jit
def load_tile(ptr, rows, stride, limit, stride_inner, WIDTH: tl.constexpr, BLOCK: tl.constexpr, EDGE: tl.constexpr):
    """[rows, BLOCK] of a matrix; beyond `limit` rows (checked where EDGE) and WIDTH columns it is zero."""
    inner = tl.arange(0, BLOCK)
    ptrs = ptr + rows[:, None] * stride + inner[None, :] * stride_inner
    if EDGE:
        tile = tl.load(ptrs, mask=(rows[:, None] < limit) & (inner[None, :] < WIDTH), other=0.0)
    elif WIDTH < BLOCK:
        tile = tl.load(ptrs, mask=inner[None, :] < WIDTH, other=0.0)
    else:
        tile = tl.load(ptrs)
    return tile


@triton.jit
def store_tile(ptr, tile, rows, limit, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """Write [rows, BLOCK] to a contiguous matrix of WIDTH columns, as far as it reaches."""
    inner = tl.arange(0, BLOCK)
    where = ptr + rows[:, None] * WIDTH + inner[None, :]
    tl.store(where, tile.to(ptr.dtype.element_ty), mask=(rows[:, None] < limit) & (inner[None, :] < WIDTH))


@triton.jit
def key_limit(lengths_ptr, batch, keys, LENGTHS: tl.constexpr):
    """Keys of this row of the batch that may be read at all."""
    limit = keys
    if LENGTHS:
        limit = tl.minimum(tl.maximum(tl.load(lengths_ptr + batch), 0), keys).to(tl.int32)
    return limit


@triton.jit
def key_span(
    first, last, limit, window, BLOCK: tl.constexpr, CAUSAL: tl.constexpr, WINDOW: tl.constexpr, SEGMENTS: tl.constexpr
):
    """Edges (start, full, past, stop) of the keys that queries at positions first..last see.

    Tiles from full to past need no mask; from start to full and past to stop they do; others are skipped.
    """
    stop = tl.maximum(limit, 0)
    past = stop
    if CAUSAL:
        stop = tl.minimum(stop, tl.maximum(last + 1, 0))
        past = tl.minimum(past, tl.maximum(first + 1, 0))
    elif WINDOW:
        stop = tl.minimum(stop, tl.maximum(last + window, 0))
        past = tl.minimum(past, tl.maximum(first + window, 0))
    start = tl.zeros_like(stop)
    full = start
    if WINDOW:
        start = tl.maximum(first - window + 1, 0) // BLOCK * BLOCK
        full = tl.cdiv(tl.maximum(last - window + 1, 0), BLOCK) * BLOCK
    if SEGMENTS:
        past = start  # ids differ from cell to cell: every tile is masked
    full = tl.minimum(full, stop)
    return start, full, tl.maximum(past // BLOCK * BLOCK, full), stop


@triton.jit
def visible(
    distance,
    keys,
    limit,
    window,
    query_ids,
    key_ids,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    SEGMENTS: tl.constexpr,
):
    """Which cells of a tile are seen; arguments broadcast to the tile, distance is query minus key position."""
    seen = (keys < limit) & (keys >= 0)
    if CAUSAL:
        seen = seen & (distance >= 0)
    if WINDOW:
        seen = seen & (distance < window) & (distance > -window)
    if SEGMENTS:
        seen = seen & (query_ids == key_ids)
    return seen


@triton.jit
def biased(qk, distance, scale, slope, ALIBI: tl.constexpr):
    """Scores in base 2 from q.k: scale, and ALiBi's penalty per position of distance."""
    scores = qk * scale
    if ALIBI:
        scores -= slope * tl.abs(distance).to(tl.float32)
    return scores

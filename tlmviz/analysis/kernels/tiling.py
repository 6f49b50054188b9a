"""The loops of the attention kernel, tile by tile, in NumPy: what a page animates and tests compare.

Letters: T positions (queries and keys alike), D head dimension, R and C rows and columns of a tile.
Scores are in natural units here; the kernel keeps them times log2(e). Source: 003 section 5; Dao 2023.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.errors import BadShape
from tlmviz.tracing.trace import Trace

LONGEST = 64  # positions whose tiles are walked: under a causal mask the first rows need no later keys


@dataclass(frozen=True)
class Inputs:
    """One head's q, k, v [T, D] in float32 with its scale, window, ALiBi slope (0 for none), vectors per distance [R,
    D] and bound on scores."""

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    scale: float
    window: int | None = None
    slope: float = 0.0
    relative: np.ndarray | None = None  # already multiplied by the scale
    softcap: float | None = None

    @property
    def biased(self) -> bool:
        """Whether distance changes the scores."""
        return self.slope != 0 or self.relative is not None


@dataclass(frozen=True)
class Visit:
    """One tile as a program saw it. `m_i`, `l_i` [R] and `acc` [R, D] are the row block's state after it."""

    block: int
    tile: int
    masked: bool
    m_i: np.ndarray
    l_i: np.ndarray
    acc: np.ndarray
    alpha: np.ndarray  # exp(m_i - m_new), [R]


@dataclass(frozen=True)
class TileWalk:
    """All visits in launch order, the output [T, D], and the tiles that no program touched [row blocks, column
    blocks]."""

    rows: int
    cols: int
    visits: tuple[Visit, ...]
    out: np.ndarray
    lse: np.ndarray
    skipped: np.ndarray


def head_inputs(trace: Trace, layer: int, head: int, longest: int | None = LONGEST) -> Inputs:
    """One head's first `longest` positions from a trace; None for all."""
    q, k, _ = trace.qk(layer, head)
    v = trace[f"blocks.{layer}.attn.v"][0]
    group = head * v.shape[0] // trace.n_heads
    spec = trace.specs[layer]
    slope = 0.0 if spec.mask.slopes is None else float(spec.mask.slopes[head])
    q_rows, k_rows, v_rows = (part[:longest].float().numpy() for part in (q, k, v[group]))
    relative = None if spec.mask.relative is None else spec.mask.relative.float().numpy()
    return Inputs(
        q_rows,
        k_rows,
        v_rows,
        scale=spec.scale,
        window=spec.mask.window,
        slope=slope,
        relative=relative,
        softcap=spec.mask.softcap,
    )


def key_span(first: int, last: int, keys: int, window: int | None, cols: int) -> tuple[int, int, int, int]:
    """Edges (start, full, past, stop) of the keys that causal queries first..last see, as the kernel's `key_span` has
    them.

    Tiles from full to past need no mask; from start to full and past to stop they do; others are skipped.
    """
    stop, past = min(keys, last + 1), min(keys, first + 1)
    start = full = 0
    if window is not None:
        start = max(first - window + 1, 0) // cols * cols
        full = -(-max(last - window + 1, 0) // cols) * cols
    full = min(full, stop)
    return start, full, max(past // cols * cols, full), stop


def plan(length: int, rows: int, cols: int, window: int | None = None) -> list[tuple[int, int, bool]]:
    """(row block, column block, masked) of every tile in the kernel's order: the last row block is launched first."""
    order = []
    for block in reversed(range(-(-length // rows))):
        first, last = block * rows, min((block + 1) * rows, length) - 1
        start, full, past, stop = key_span(first, last, length, window, cols)
        for begin, end, masked in ((start, full, True), (full, past, False), (past, stop, True)):
            order += [(block, at // cols, masked) for at in range(begin, end, cols)]
    return order


def walk(inputs: Inputs, rows: int, cols: int, backwards: bool = False) -> TileWalk:
    """Run the tiled online softmax of one head. `backwards` visits each row block's tiles from the last to the first.

    Raises BadShape for tiles smaller than 1 x 1.
    """
    if rows < 1 or cols < 1:
        raise BadShape(f"A tile of {rows} x {cols} holds nothing; use at least 1 row and 1 column.")
    length = len(inputs.q)
    out, lse = np.zeros_like(inputs.v), np.full(length, -np.inf, np.float32)
    skipped = np.ones((-(-length // rows), -(-length // cols)), bool)
    visits: list[Visit] = []
    order = plan(length, rows, cols, inputs.window)
    for block in dict.fromkeys(block for block, _, _ in order):
        own = slice(block * rows, min((block + 1) * rows, length))
        size = own.stop - own.start
        m_i, l_i = np.full(size, -np.inf, np.float32), np.zeros(size, np.float32)
        acc = np.zeros((size, inputs.v.shape[1]), np.float32)
        tiles = [(tile, masked) for where, tile, masked in order if where == block]
        for tile, masked in reversed(tiles) if backwards else tiles:
            m_i, l_i, acc, alpha = _step(
                inputs, own, slice(tile * cols, min((tile + 1) * cols, length)), masked, m_i, l_i, acc
            )
            visits.append(Visit(block, tile, masked, m_i, l_i, acc, alpha))
            skipped[block, tile] = False
        seen = l_i > 0
        out[own] = acc / np.where(seen, l_i, 1)[:, None]
        lse[own] = np.where(seen, m_i + np.log(np.where(seen, l_i, 1)), -np.inf)
    return TileWalk(rows, cols, tuple(visits), out, lse, skipped)


def _step(
    inputs: Inputs, rows: slice, cols: slice, masked: bool, m_i: np.ndarray, l_i: np.ndarray, acc: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """One tile: scores, new maximum, rescale, add (003 section 5)."""
    scores = inputs.q[rows] @ inputs.k[cols].T * np.float32(inputs.scale)
    if inputs.softcap is not None:
        scores = np.float32(inputs.softcap) * np.tanh(scores / np.float32(inputs.softcap))
    distance = np.arange(rows.start, rows.stop)[:, None] - np.arange(cols.start, cols.stop)
    scores = scores - np.float32(inputs.slope) * np.abs(distance).astype(np.float32)  # integers would make it float64
    if inputs.relative is not None:
        by_distance = inputs.q[rows] @ inputs.relative.T  # [R, distances]
        scores = scores + np.take_along_axis(by_distance, np.minimum(np.abs(distance), len(inputs.relative) - 1), 1)
    if masked:
        hidden = distance < 0
        if inputs.window is not None:
            hidden |= distance >= inputs.window
        scores = np.where(hidden, np.float32(-np.inf), scores)
    m_new = np.maximum(m_i, scores.max(1))
    m_safe = np.where(m_new == -np.inf, np.float32(0), m_new)  # nothing seen yet: -inf - -inf would be NaN
    p = np.exp(scores - m_safe[:, None])
    alpha = np.exp(m_i - m_safe)
    return m_new, l_i * alpha + p.sum(1), acc * alpha[:, None] + p @ inputs.v[cols], alpha


# --- identities: each returns the measured error ------------------------------------------------------


def tiled_against_full(inputs: Inputs, done: TileWalk, weights: Float[Tensor, "t s"]) -> float:
    """Largest distance of the tiled output from softmax(QK') V with the model's own weights, relative to the largest
    value."""
    full = weights.double() @ torch.from_numpy(inputs.v).double()
    return _relative(done.out, full.numpy(), inputs.v)


def order_of_tiles(inputs: Inputs, done: TileWalk) -> float:
    """Largest change of the output when each row block visits its tiles backwards, relative to the largest value."""
    return _relative(done.out, walk(inputs, done.rows, done.cols, backwards=True).out, inputs.v)


def _relative(out: np.ndarray, other: np.ndarray, v: np.ndarray) -> float:
    return float(np.abs(out - other).max() / max(float(np.abs(v).max()), 1e-30))

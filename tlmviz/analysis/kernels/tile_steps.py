"""A tile walk cut into the steps that a picture shows: what is loaded, computed and moved, and which lines run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .kernel_source import running
from .tiling import TileWalk, Visit

FINE = 24  # tiles up to which each is walked in three steps, and above in one
WAITING, DONE, SKIPPED = 0, 1, 2


@dataclass(frozen=True)
class TileStep:
    """One step. `grid` [row blocks, column blocks] says WAITING, DONE or SKIPPED; `box` is first and last row and
    column.

    `m_i`, `l_i` [R] and `acc` [R, D] are the running block's state, NaN below a short last block; `moved` counts
    numbers to and from slow memory since the first step; `when` names the kernel lines that run, `stages` what is done:
    start, load, scores, add, finish.
    """

    program: int
    grid: np.ndarray
    box: tuple[int, int, int, int]
    m_i: np.ndarray
    l_i: np.ndarray
    acc: np.ndarray
    when: frozenset[str]
    moved: int
    words: tuple[str, ...]
    stages: tuple[str, ...]


def tile_steps(walked: TileWalk, biased: bool = False) -> list[TileStep]:
    """Every program's start, tiles and end in launch order. `biased`: distance changes the scores."""
    grid = np.where(walked.skipped, SKIPPED, WAITING).astype(np.uint8)
    found: list[TileStep] = []
    for program, block in enumerate(dict.fromkeys(visit.block for visit in walked.visits)):
        visits = [visit for visit in walked.visits if visit.block == block]
        found += _program(walked, program, visits, grid, found[-1].moved if found else 0, biased)
    return found


def naive_moves(length: int, width: int) -> int:
    """Numbers that standard attention moves: Q, K, V, O once and T x T four times (Dao et al. 2022, Algorithm 0)."""
    return 4 * length * width + 4 * length**2


def tile_probabilities(walked: TileWalk, weights: np.ndarray) -> np.ndarray:
    """p = exp(score - m_i) of every visit, [visits, R, C], from the final weights [T, T]; NaN below and right of short
    tiles.

    weight = exp(score - lse), so p is the weight times exp(lse - m_i): what is on chip while a tile is added.
    """
    found = np.full((len(walked.visits), walked.rows, walked.cols), np.nan, np.float32)
    for number, visit in enumerate(walked.visits):
        first, begin = visit.block * walked.rows, visit.tile * walked.cols
        part = weights[first : first + walked.rows, begin : begin + walked.cols]
        last = first + len(part)
        found[number, : len(part), : part.shape[1]] = part * np.exp(walked.lse[first:last] - visit.m_i)[:, None]
    return found


def _program(
    walked: TileWalk, program: int, visits: list[Visit], grid: np.ndarray, moved: int, biased: bool
) -> list[TileStep]:
    """One program's steps; marks its tiles as done in `grid`."""
    length, width = walked.out.shape
    first, last = visits[0].block * walked.rows, min((visits[0].block + 1) * walked.rows, length)
    size, pad = last - first, walked.rows - (last - first)
    found: list[TileStep] = []

    def step(
        stages: tuple[str, ...],
        masked: bool,
        keys: tuple[int, int],
        state: tuple[np.ndarray, ...],
        moved: int,
        *words: str,
    ) -> None:
        kinds = frozenset().union(*(running(stage, masked, biased) for stage in stages))
        m_i, l_i, acc = (_fill(part, pad) for part in state)
        found.append(TileStep(program, grid.copy(), (first, last, *keys), m_i, l_i, acc, kinds, moved, words, stages))

    moved += size * width
    state = (np.full(size, -np.inf), np.zeros(size), np.zeros((size, width)))
    step(("start",), False, (0, length), state, moved, "Load this block of q; start with m_i = −∞, l_i = 0, acc = 0")
    for place, visit in enumerate(visits):
        keys = (visit.tile * walked.cols, min((visit.tile + 1) * walked.cols, length))
        kind = "crosses the mask: cells are checked" if visit.masked else "all visible: no cell is checked"
        tile = f"Keys {keys[0]}–{keys[1] - 1}, {kind}"
        stages: tuple[str, ...] = ("add",)
        if len(walked.visits) <= FINE:
            moved += (keys[1] - keys[0]) * width
            step(("load",), visit.masked, keys, state, moved, tile, "Load this tile of k, multiply: q·k")
            said = "New maxima m_i, then p = exp(score − m_i)"
            step(("scores",), visit.masked, keys, state, moved, tile, said)
            moved += (keys[1] - keys[0]) * width
        else:
            moved, stages = moved + 2 * (keys[1] - keys[0]) * width, ("load", "scores", "add")
        grid[visit.block, visit.tile] = DONE
        state = (visit.m_i, visit.l_i, visit.acc)
        step(stages, visit.masked, keys, state, moved, tile, _rescaling(visit, first=not place))
    moved += size * (width + 1)
    state = (visits[-1].m_i, visits[-1].l_i, walked.out[first:last])
    step(("finish",), False, (0, length), state, moved, "Store acc / l_i (shown at acc) and lse = m_i + log l_i")
    return found


def _rescaling(visit: Visit, first: bool) -> str:
    """What a tile does to the block's sums; before its first one they are 0, and so is their factor."""
    low, high = float(visit.alpha.min()), float(visit.alpha.max())
    factor = "here 0: first tile" if first else f"here {low:.3g}" + f" to {high:.3g}" * (low < high)
    return f"Multiply the old l_i and acc by exp(m_i − m_new), {factor}; then add p and p·v"


def _fill(values: np.ndarray, pad: int) -> np.ndarray:
    return np.concatenate([np.asarray(values, np.float32), np.full((pad, *values.shape[1:]), np.nan, np.float32)])

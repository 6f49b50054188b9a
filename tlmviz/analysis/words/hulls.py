"""Convex hulls: the exact one, and what a drawn one is worth beside it (Vinyals et al. 2015, section 4.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.spatial import ConvexHull, QhullError


@dataclass(frozen=True)
class Verdict:
    """A drawn hull. `valid`: a polygon that does not cross itself. `exact`: the hull's corners in their order, begun
    anywhere.

    `coverage` is its area by the exact hull's, in [0, 1]; None where it is not valid or the exact hull has no area.
    `missed` and `extra` are the hull's corners that it left out, and points it visited that are none.
    """

    valid: bool
    exact: bool
    coverage: float | None
    missed: tuple[int, ...]
    extra: tuple[int, ...]


@dataclass(frozen=True)
class Quality:
    """Shares of `sets` sets of `number` points: valid polygons, exact hulls, and the mean coverage of the valid
    ones."""

    number: int
    sets: int
    valid: float
    exact: float
    coverage: float


def exact_hull(points: Float[np.ndarray, "n 2"]) -> Int[np.ndarray, " k"]:
    """Indices of the hull's corners, counterclockwise from the leftmost (the lower one of two).

    Points on an edge are no corners, nor is a second one of two equal points. Where all lie on a line its ends are the
    hull.
    """
    order = np.lexsort((points[:, 1], points[:, 0]))
    firsts = np.sort(np.unique(points, axis=0, return_index=True)[1])
    try:
        corners = firsts[ConvexHull(points[firsts]).vertices]  # counterclockwise in two dimensions
    except (QhullError, ValueError):  # fewer than three points, or all on a line
        first, last = order[0], order[-1]
        return np.array([first] if (points[first] == points[last]).all() else [first, last])
    first = np.lexsort((points[corners, 1], points[corners, 0]))[0]
    return np.roll(corners, -first)


def area(corners: Float[np.ndarray, "k 2"]) -> float:
    """The area that a closed line of corners goes around counterclockwise; negative if clockwise."""
    x, y = (corners - corners[0]).T
    return float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2)


def is_simple(corners: Float[np.ndarray, "k 2"]) -> bool:
    """Whether the closed line through three or more corners neither crosses nor touches itself and has an area."""
    count = len(corners)
    if count < 3 or area(corners) == 0:
        return False
    a, b = corners, np.roll(corners, -1, 0)  # edge i goes from a[i] to b[i]
    back = np.roll(b, -1, 0) - b
    if ((_side(a, b, np.roll(b, -1, 0)) == 0) & (((b - a) * back).sum(-1) <= 0)).any():
        return False  # it turns round on its own edge
    i, j = np.triu_indices(count, 2)
    apart = (i > 0) | (j < count - 1)  # the first and the last edge share a corner too
    i, j = i[apart], j[apart]
    sides = [_side(a[i], b[i], a[j]), _side(a[i], b[i], b[j]), _side(a[j], b[j], a[i]), _side(a[j], b[j], b[i])]
    crossing = (sides[0] * sides[1] <= 0) & (sides[2] * sides[3] <= 0)
    on_a_line = (np.abs(sides).max(0) == 0) if len(i) else np.zeros(0, bool)
    overlapping = (
        np.maximum(np.minimum(a[i], b[i]), np.minimum(a[j], b[j]))
        <= np.minimum(np.maximum(a[i], b[i]), np.maximum(a[j], b[j]))
    ).all(-1)
    return not (crossing & (~on_a_line | overlapping)).any()


def judge(points: Float[np.ndarray, "n 2"], order: Int[np.ndarray, " k"]) -> Verdict:
    """What a drawn hull is worth."""
    exact = exact_hull(points)
    valid = is_simple(points[order])
    whole = area(points[exact])
    coverage = min(1.0, abs(area(points[order])) / whole) if valid and whole > 0 else None
    begins = np.flatnonzero(order == exact[0])
    turned = np.roll(order, -begins[0]) if len(begins) else order
    missed, extra = np.setdiff1d(exact, order), np.setdiff1d(order, exact)
    return Verdict(valid, np.array_equal(turned, exact), coverage, tuple(map(int, missed)), tuple(map(int, extra)))


def quality(
    hull: Callable[[Float[np.ndarray, "n 2"]], Int[np.ndarray, " k"]], number: int, sets: int, seed: int
) -> Quality:
    """What `hull` draws for fresh sets of points, uniform in a square."""
    rng = np.random.default_rng(seed)
    drawn = [judge(points, hull(points)) for points in rng.random((sets, number, 2))]
    covered = [verdict.coverage for verdict in drawn if verdict.coverage is not None]
    return Quality(
        number,
        sets,
        float(np.mean([verdict.valid for verdict in drawn])),
        float(np.mean([verdict.exact for verdict in drawn])),
        float(np.mean(covered)) if covered else float("nan"),
    )


def _side(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """On which side of the line from a to b the points c lie: 1 left, -1 right, 0 on it."""
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    return np.sign(ux * vy - uy * vx)


def scattered(kind: str, number: int, seed: int) -> Float[np.ndarray, "n 2"]:
    """Random points in the unit square, of a kind of SCATTERS, on a grid of thousandths."""
    rng = np.random.default_rng(seed)
    return np.round(0.02 + 0.96 * np.clip(SCATTERS[kind](rng, number), 0, 1), 3)


def _ring(rng: np.random.Generator, number: int) -> Float[np.ndarray, "n 2"]:
    angle = rng.uniform(0, 2 * np.pi, number)
    return 0.5 + 0.5 * np.stack((np.cos(angle), np.sin(angle)), -1)


def _line(rng: np.random.Generator, number: int) -> Float[np.ndarray, "n 2"]:
    """Exactly on a line, also in thousandths."""
    x = rng.integers(0, 481, number) / 480
    return np.stack((x, 0.25 + x / 2), -1)


SCATTERS: dict[str, Callable[[np.random.Generator, int], Float[np.ndarray, "n 2"]]] = {
    "Square": lambda rng, number: rng.random((number, 2)),
    "Cloud": lambda rng, number: 0.5 + 0.16 * rng.normal(size=(number, 2)),
    "Ring": _ring,
    "Grid": lambda rng, number: (rng.integers(0, 7, (number, 2)) + 1) / 8,
    "Line": _line,
}

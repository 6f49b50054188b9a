"""Exact hulls, polygons that cross themselves, and what a drawn hull is worth, on points whose answers are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tlmviz.analysis.words.hulls import area, exact_hull, is_simple, judge, quality

SQUARE = np.array([[0.0, 0], [2, 0], [2, 2], [0, 2], [1, 1], [1, 0]])


def test_a_square():
    assert exact_hull(SQUARE).tolist() == [0, 1, 2, 3]
    assert area(SQUARE[:4]) == 4 and area(SQUARE[3::-1]) == -4


@pytest.mark.parametrize(
    "points, hull",
    [
        ([[3, 1]], [0]),
        ([[3, 1], [3, 1]], [0]),
        ([[3, 1], [2, 5]], [1, 0]),
        ([[0, 0], [2, 2], [1, 1], [-1, -1]], [3, 1]),
        ([[1, 5], [1, 2], [1, 9]], [1, 2]),
        ([[0, 0], [0, 0], [1, 0], [1, 1], [1, 1]], [0, 2, 3]),
    ],
)
def test_few_equal_and_collinear_points(points, hull):
    assert exact_hull(np.array(points, float)).tolist() == hull


@given(st.integers(3, 40), st.integers(0, 1000))
def test_no_point_lies_outside_of_an_exact_hull(number, seed):
    points = np.random.default_rng(seed).random((number, 2))
    corners = points[exact_hull(points)]
    a, b = corners, np.roll(corners, -1, 0)
    (ux, uy), (vx, vy) = (b - a).T[..., None], (points[None] - a[:, None]).transpose(2, 0, 1)
    assert (ux * vy - uy * vx >= -1e-12).all() and is_simple(corners)
    assert (corners[0] == points[np.argmin(points[:, 0])]).all()


@pytest.mark.parametrize(
    "corners, simple",
    [
        ([[0, 0], [2, 0], [2, 2], [0, 2]], True),
        ([[0, 0], [2, 2], [2, 0], [0, 2]], False),  # a bow tie
        ([[0, 0], [2, 0], [2, 2], [1, 1]], True),  # a corner of 180 degrees crosses nothing
        ([[0, 0], [4, 0], [2, 1], [2, 4]], True),  # not convex
        ([[0, 0], [4, 0], [2, 0], [2, 4]], False),  # turns round on its own edge
        ([[0, 0], [4, 0], [4, 4], [2, 0], [0, 4]], False),  # touches an edge
        ([[0, 0], [1, 1], [2, 2]], False),
        ([[0, 0], [1, 0]], False),
        ([[0, 0]], False),
    ],
)
def test_polygons(corners, simple):
    assert is_simple(np.array(corners, float)) == simple


def test_verdicts():
    perfect = judge(SQUARE, np.array([2, 3, 0, 1]))
    assert perfect.valid and perfect.exact and perfect.coverage == 1 and perfect.missed == perfect.extra == ()
    less = judge(SQUARE, np.array([0, 1, 2]))
    assert less.valid and not less.exact and less.coverage == 0.5 and less.missed == (3,)
    crossed = judge(SQUARE, np.array([0, 2, 1, 3]))
    assert not crossed.valid and crossed.coverage is None
    inside = judge(SQUARE, np.array([0, 1, 2, 4, 3]))
    assert inside.extra == (4,) and inside.coverage == pytest.approx(0.75) and not inside.exact
    backwards = judge(SQUARE, np.array([0, 3, 2, 1]))
    assert backwards.valid and not backwards.exact and backwards.coverage == 1
    on_a_line = judge(np.array([[0.0, 0], [1, 1], [2, 2]]), np.array([0, 2]))
    assert on_a_line.exact and not on_a_line.valid and on_a_line.coverage is None


def test_quality_is_the_share_of_verdicts():
    exact = quality(exact_hull, 8, 20, seed=0)
    assert (exact.number, exact.sets, exact.valid, exact.exact) == (8, 20, 1, 1)
    assert exact.coverage == pytest.approx(1)
    nothing = quality(lambda points: np.arange(2), 8, 5, seed=0)
    assert nothing.valid == nothing.exact == 0 and np.isnan(nothing.coverage)

"""The public face of the pointer network: indices, weights, and one sentence for what are no points."""

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz.checkpoints import native
from tlmviz.errors import BadShape
from tlmviz.facades.hull import HullFinder, distinct, read_points

POINTS = read_points(HullFinder.default_text)


@pytest.fixture(scope="module")
def finder():
    return tiny.hull_finder()


def test_a_drawing(finder):
    drawing = finder.draw(POINTS)
    assert len(set(drawing.order.tolist())) == len(drawing.order) >= 1
    assert drawing.attention.shape == (len(drawing.order) + 1, len(POINTS) + 1)
    np.testing.assert_allclose(drawing.attention.sum(1), 1, atol=1e-5)
    assert drawing.attention.argmax(1).tolist() == [*drawing.order, len(POINTS)]
    for step, point in enumerate(drawing.order):
        assert not drawing.attention[step + 1 :, point].any()
    assert np.array_equal(finder.hull(POINTS), drawing.order)


@pytest.mark.parametrize(
    "points", [POINTS.tolist(), torch.from_numpy(POINTS), POINTS.astype(np.float32), POINTS * 1e300]
)
def test_any_table_of_numbers(finder, points):
    assert finder.hull(points).tolist() == finder.hull(POINTS).tolist()


def test_equal_points_are_read_once(finder):
    doubled = np.concatenate((POINTS[:3], POINTS))
    drawing, once = finder.draw(doubled), finder.draw(POINTS)
    assert distinct(doubled).tolist() == [0, 1, 2, *range(6, 12)]
    assert np.array_equal(doubled[drawing.order], POINTS[once.order])
    assert not drawing.attention[:, 3:6].any()


@pytest.mark.parametrize(
    "points",
    [[[0, 0]], [[1, 1]] * 5, [[0, 0], [1, 2]], [[i, 2 * i] for i in range(6)], [[1e308, 0], [-1e308, 1], [0, 5]]],
)
def test_points_without_a_polygon_are_read_like_others(finder, points):
    drawing = finder.draw(points)
    assert 1 <= len(drawing.order) <= len(points) and np.isfinite(drawing.attention).all()


def test_a_thousand_points(finder):
    points = np.random.default_rng(0).random((1000, 2))
    assert len(finder.hull(points)) >= 1


@pytest.mark.parametrize(
    "points, why",
    [
        ([], "shape"),
        ([1, 2], "shape"),
        ([[1, 2, 3]], "shape"),
        (np.zeros((0, 2)), "0 points"),
        (np.zeros((2001, 2)), "2,001"),
        ([[0, 1], [float("nan"), 1]], "Point 1"),
        ([[0, np.inf]], "Point 0"),
        ("abc", "numbers"),
        (None, "shape"),
        ([[1, 2], [3]], "numbers"),
        ([["a", "b"]], "numbers"),
    ],
)
def test_what_are_no_points(finder, points, why):
    with pytest.raises(BadShape) as error:
        finder.hull(points)
    assert why in sentence(error)


@pytest.mark.parametrize("text", ["1 2 3", "1 2, 3", "a b", "", "1 2, nan 3"])
def test_a_text_of_no_points(text):
    with pytest.raises(BadShape) as error:
        read_points(text)
    sentence(error)


def test_what_is_saved_is_loaded(finder, tmp_path):
    native.save_network(tmp_path / "tiny", finder.network, None, torch.float32)
    again = tlmviz.load(tmp_path / "tiny")
    assert isinstance(again, HullFinder) and not (tmp_path / "tiny" / "tokenizer.json").exists()
    np.testing.assert_allclose(again.draw(POINTS).attention, finder.draw(POINTS).attention, atol=1e-6)
    assert f"{again.n_parameters / 1e6:.2f} M" in again.sizes

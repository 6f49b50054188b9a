"""Pictures of windows: the curve of what stays, and maps of distances."""

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.words import pairs


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_curve_and_its_points_are_the_formula(theme):
    shares = [0.04, 0.001, 0.0001]
    curve, points = pairs.keep_curve(["<b>the", "b", "c"], shares, 0.001, theme, title="t").data
    np.testing.assert_allclose(points.y, np.minimum(1, np.sqrt(0.001 / np.array(shares))), rtol=1e-6)
    np.testing.assert_allclose(curve.y, np.minimum(1, np.sqrt(0.001 / curve.x)), rtol=1e-4)
    assert not any("<b>" in text for text in (*points.text, *points.customdata))


def test_names_that_would_lie_over_each_other_are_left_out():
    _, points = pairs.keep_curve(["one", "two", "three"], [0.01, 0.0099, 0.0001], 0.001, LIGHT, title="t").data
    assert list(points.text) == ["one", "", "three"]


def test_no_words_give_the_curve_alone():
    _, points = pairs.keep_curve([], [], 0.001, LIGHT, title="t").data
    assert len(points.x) == 0


@pytest.mark.parametrize("count, written", [(3, True), (12, False)])
def test_small_maps_have_their_distances_written_in(count, written):
    words = [f"w{i}" for i in range(count)]
    distances = np.sqrt(2) * (1 - np.eye(count))
    [cells] = pairs.distance_map(distances, words, LIGHT, title="d").data
    np.testing.assert_allclose(cells.z, distances, rtol=1e-6)
    assert bool(cells.texttemplate) == written and (cells.zmin, cells.zmax) == (0, 2)
    [eye] = pairs.one_hot_map(words, LIGHT, title="o").data
    np.testing.assert_array_equal(eye.z, np.eye(count))

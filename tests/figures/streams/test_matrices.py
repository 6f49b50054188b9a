"""Distances of the mixing matrices as pictures."""

import json

import numpy as np
import pytest

from tlmviz.figures import LIGHT, THEMES
from tlmviz.figures.streams import matrices as figures

NAMES = ["attention 0", "MLP 0", "attention 1", "MLP 1"]
TOKENS = ["<|endoftext|>", " <b>", " dog"]
VALUES = np.random.default_rng(0).random((4, 3))


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_the_map_shows_every_distance_and_where_one_looks(theme):
    figure = figures.distance_map(VALUES, NAMES, TOKENS, "Distance from I", (2, 1), theme)
    [heatmap] = figure.data
    np.testing.assert_allclose(np.asarray(heatmap.z), VALUES, atol=1e-7)
    assert heatmap.zmin == 0 and heatmap.zmax == pytest.approx(VALUES.max())
    [outline] = figure.layout.shapes
    assert (outline.x0, outline.x1, outline.y0, outline.y1) == (0.5, 1.5, 1.5, 2.5)
    assert list(figure.layout.yaxis.ticktext) == NAMES and figure.layout.yaxis.autorange == "reversed"
    assert list(figure.layout.xaxis.ticktext) == ["⟨start⟩", "&lt;b&gt;", "dog"]
    assert "bdata" in json.loads(figure.to_json())["data"][0]["z"]


def test_matrices_that_do_not_differ_are_the_colour_of_zero():
    figure = figures.distance_map(np.zeros((4, 3)), NAMES, TOKENS, "Distance from I", (0, 0), LIGHT)
    assert figure.data[0].zmax == 1.0


@pytest.mark.parametrize("most, zmax", [(5.0, 5.0), (0.1, VALUES.max())])
def test_small_distances_do_not_look_like_large_ones(most, zmax):
    figure = figures.distance_map(VALUES, NAMES, TOKENS, "Distance from I", (0, 0), LIGHT, most=most)
    assert figure.data[0].zmax == pytest.approx(zmax)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_curves_are_means_with_a_standard_deviation_to_either_side(theme):
    figure = figures.distance_curves({"from I": VALUES, "from 1/N": VALUES + 1}, NAMES, 3, theme)
    band, line, _, other = figure.data
    np.testing.assert_allclose(line.y, VALUES.mean(1), atol=1e-6)
    np.testing.assert_allclose(other.y, VALUES.mean(1) + 1, atol=1e-6)
    np.testing.assert_allclose(band.y[:4], VALUES.mean(1) + VALUES.std(1), atol=1e-6)
    np.testing.assert_allclose(band.y[4:], (VALUES.mean(1) - VALUES.std(1))[::-1], atol=1e-6)
    assert figure.layout.shapes[0].x0 == 3


@pytest.mark.parametrize("count", [1, 16, 17, 48, 256])
def test_axes_name_as_many_as_can_be_read(count):
    figure = figures.distance_map(np.ones((count, 2)), [str(i) for i in range(count)], ["a", "b"], "x", (0, 0), LIGHT)
    shown = figure.layout.yaxis
    assert (
        len(shown.tickvals) <= 16
        and [str(i) for i in shown.tickvals] == list(shown.ticktext)
        and shown.tickvals[0] == 0
    )

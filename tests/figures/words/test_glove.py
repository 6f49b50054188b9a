"""Pictures of GloVe: ratios with their extremes, counts, weights, the fit."""

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.words import glove

NAMES = ["<b>one", "two", "three", "four"]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_bars_are_logarithms_and_extremes_end_at_the_axis(theme):
    ratios = np.array([10.0, 0.0, np.inf, np.nan])
    bars, points = glove.ratio_bars(NAMES, ratios, np.array([1.0, 2, 3, 4]), theme, title="t", names=("a", "b")).data
    [low, high] = glove.ratio_bars(NAMES, ratios, None, theme, title="t", names=("a", "b")).layout.yaxis.range
    np.testing.assert_allclose(bars.y, [1, low, high, 0], rtol=1e-6)
    assert list(bars.text) == ["10", "0", "∞", "never met"]
    np.testing.assert_allclose(points.y, np.log10([1, 2, 3, 4]), rtol=1e-6, atol=1e-7)
    assert "<b>" not in " ".join(bars.customdata)


def test_a_map_leaves_cells_without_meetings_empty():
    counts = np.array([[0, 1.5], [1.5, 2000]])
    [cells] = glove.count_map(counts, ["a", "b"], LIGHT, title="t", most=2000).data
    assert cells.text[0][0] == "" and cells.text[0][1] == "1.5" and cells.z[0, 0] == 0
    assert float(cells.z[1, 1]) == pytest.approx(cells.zmax, rel=1e-6)


def test_the_weight_is_the_formula_also_beyond_the_edge():
    curve, points = glove.weight_curve(10, 0.75, [0, 5, 500], ["a", "b", "c"], LIGHT, title="t").data
    np.testing.assert_allclose(points.y, [0, 0.5**0.75, 1], rtol=1e-6)
    assert max(points.x) == 20 and points.customdata[2][1] == "500"
    np.testing.assert_allclose(curve.y, np.minimum(1, curve.x / 10) ** 0.75, rtol=1e-4, atol=1e-6)


def test_the_density_holds_all_the_weight():
    rng = np.random.default_rng(0)
    x, value, weight = rng.normal(size=(3, 500))
    cells, line = glove.fit_density(x, value, np.abs(weight), LIGHT, title="t").data
    assert float(np.sum(cells.z)) == pytest.approx(1, abs=1e-5)
    assert list(line.x) == list(line.y)

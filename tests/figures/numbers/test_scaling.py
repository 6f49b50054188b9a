"""Pictures of the page Scaling show the numbers they are given."""

import numpy as np
import pytest

from tlmviz.figures import THEMES
from tlmviz.figures.numbers import scaling as figures


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_a_bar_for_every_prediction(theme):
    figure = figures.divergences(["a", "b"], np.array([0.5, 0.25]), np.array([1.0, -1.0]), theme, title="t")
    [bars] = figure.data
    assert list(bars.y) == [0.5, 0.25] and bars.customdata[1].tolist() == ["b", -1.0]
    assert list(figure.layout.xaxis.ticktext) == ["a", "b"]


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
@pytest.mark.parametrize("costs", [[[1e-3, np.nan], [10.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]])
def test_one_at_a_time_is_logarithmic(theme, costs):
    figure = figures.alone(np.array(costs), ["q", "down"], theme, title="t")
    [heat] = figure.data
    assert list(heat.y) == ["q", "down"]
    expected = np.log10(np.maximum(np.array(costs), figures.LEAST))
    np.testing.assert_allclose(heat.z, expected, rtol=1e-6)

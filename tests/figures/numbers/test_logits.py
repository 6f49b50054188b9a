"""Pictures of the page Logits show the numbers they are given."""

import numpy as np
import pytest

from tlmviz.figures import THEMES
from tlmviz.figures.numbers import logits as figures


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_growth_has_every_head_with_gaps_between(theme):
    others = np.outer([1.0, 2.0], np.arange(1, 5.0))
    figure = figures.variance_growth(others, others[1], others[0], theme, name="head 0.1", title="t")
    quiet, line, before, chosen = figure.data
    assert np.isnan(quiet.y[4]) and list(quiet.y[5:9]) == [2, 4, 6, 8]
    assert list(line.y) == [1, 2, 3, 4] and list(before.y) == [1, 2, 3, 4] and list(chosen.y) == [2, 4, 6, 8]
    assert chosen.name == "head 0.1" and figure.layout.showlegend


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_the_histogram_counts_every_pair_twice(theme):
    scores = np.random.default_rng(0).standard_normal(500) * 9
    as_is, divided = figures.score_histogram(scores, 4.0, theme, title="t").data
    assert sum(as_is.y) == pytest.approx(100, abs=1e-3) == pytest.approx(sum(divided.y), abs=1e-3)


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_marks_lie_on_the_curve(theme):
    divisors = np.array([0.5, 1, 2, 4])
    figure = figures.losses(divisors, np.array([3.0, 1, 2, 4]), {"a": 1.0, "b": 4.0}, theme, title="t")
    assert list(figure.data[1].y) == pytest.approx([1, 4])
    assert list(figure.data[1].textposition) == ["bottom center", "top left"]  # a valley, and a way up to it


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_spreads_clouds_and_shares(theme):
    ones = np.ones(3)
    figure = figures.spreads(["a", "b", "c"], (ones, 2 * ones), (ones, ones), theme, title="t")
    assert [list(trace.y) for trace in figure.data] == [[1] * 3, [2] * 3, [1] * 3, [1] * 3]
    cloud = figures.directions(np.array([[1.0, -3], [0, 2]]), ["0 · a", "1 · b"], np.arange(2), theme, title="t")
    assert cloud.layout.xaxis.range[1] == pytest.approx(3.24) and list(cloud.data[0].customdata) == ["0 · a", "1 · b"]
    lines = figures.cosines({"x": np.array([0.5, 0.5])}, theme, title="t").data
    assert max(lines[0].y) == pytest.approx(100)
    shares = figures.sorted_shares({"x": np.array([0.5, 0.3, 0.2])}, theme, title="t", y="share").data
    assert list(shares[0].y) == pytest.approx([50, 80, 100])

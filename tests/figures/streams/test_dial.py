"""The dial as one figure: what it is given is what it draws."""

import json

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.streams import dial as stream_dial

RESIDUAL = 0.3 ** np.arange(41.0)
GAINS = np.stack((1 + RESIDUAL, np.ones(41)), 1)


def matrix(n):
    return np.random.default_rng(n).dirichlet(np.ones(n), n)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("n", [1, 4, 16])
def test_the_matrix_its_sums_and_both_curves_are_drawn(n, theme):
    given = matrix(n)
    drawn = stream_dial.dial(given, RESIDUAL, 0.3, 2.5, theme, gains=GAINS, title="Sinkhorn-Knopp")
    cells, sums, residual, line, forward, backward = drawn.data
    assert np.allclose(cells.z, given, atol=1e-7)
    assert np.allclose([float(text.split()[-1]) for text in sums.hovertext], [*given.sum(1), *given.sum(0)], atol=1e-8)
    assert (cells.text is not None) == (n < 8)
    assert np.allclose(residual.y, RESIDUAL) and np.allclose(forward.y[1:], GAINS[1:, 0])
    assert np.allclose(backward.y[1:], 1) and np.isnan(forward.y[0]), "the scale is that of the scaled matrices"
    seen = np.isfinite(line.y)
    assert np.allclose(line.y[seen], RESIDUAL[seen]) and seen.sum() > 20, (
        "a residual that falls at the rate lies on the line"
    )
    assert {shape.x0 for shape in drawn.layout.shapes} == {2.5} and drawn.layout.title.text == "Sinkhorn-Knopp"
    assert drawn.layout.xaxis2.title.text == drawn.layout.xaxis3.title.text == "iterations"


@pytest.mark.parametrize("rate", [0.0, float("nan")])
def test_without_a_rate_there_is_no_line_and_without_depth_no_gains(rate):
    drawn = stream_dial.dial(matrix(3), RESIDUAL, rate, 0, LIGHT)
    assert [trace.name for trace in drawn.data if trace.name] == ["residual"]
    assert len(drawn.layout.shapes) == 1 and "xaxis3" not in json.loads(drawn.to_json())["layout"]


def test_a_residual_of_zero_leaves_a_gap_on_the_logarithmic_axis():
    drawn = stream_dial.dial(np.eye(2), np.array([1.0, 0.0, 0.0]), 0.0, 1, LIGHT)
    assert np.isnan(drawn.data[2].y[1:]).all()

"""The charts of the page Latents hold the numbers they are given."""

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.beyond.latents import before_and_after, crowded, muting, times


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_line_for_each_number_of_latents(theme):
    chart = crowded({4: np.linspace(0.9, 0.1, 9), 8: np.ones(9)}, theme, title="t")
    assert [trace.name for trace in chart.data] == ["M = 4", "M = 8"]
    assert list(chart.data[0].x) == list(range(1, 10)) and chart.data[0].y[0] == np.float32(0.9)


def test_a_row_for_each_muted_latent():
    right = np.array([[0.5, 0.75], [1.0, 0.0], [0.2, 0.3]])
    chart = muting(right, ("left", "right"), LIGHT, title="t")
    np.testing.assert_allclose(np.array(chart.data[0].z), right, rtol=1e-6)
    assert (chart.data[0].zmin, chart.data[0].zmax) == (0, 1)
    assert list(chart.layout.xaxis.ticktext) == ["left", "right"]


def test_lines_of_times():
    chart = times([64, 128], [1.0, 4.0], {8: [0.1, 0.2]}, LIGHT, title="t")
    assert [trace.name for trace in chart.data] == ["self-attention", "8 latents"]
    assert list(chart.data[1].y) == [0.1, 0.2]


def test_two_matrices_keep_their_cells():
    before, after = np.full((6, 5), 2.0), -np.ones((3, 4))
    cells = np.array(before_and_after(before, after, ("a", "b"), LIGHT, title="t").data[0].z)
    assert cells.shape == (6, 13) and (cells[:, :5] == 1).all() and (cells[:3, 9:] == -1).all()
    assert np.isnan(cells[3:, 9:]).all() and np.isnan(cells[:, 5:9]).all()

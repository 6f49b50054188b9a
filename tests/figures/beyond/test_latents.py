"""The charts of the page Latents hold the numbers they are given."""

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.beyond.latents import before_and_after, confusion, muting, times

COUNTS = np.arange(100).reshape(10, 10)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_mistakes_are_coloured_and_what_is_right_is_written(theme):
    chart = confusion(COUNTS, theme, title="t")
    cells = np.array(chart.data[0].z)
    assert np.isnan(np.diag(cells)).all() and cells[2, 7] == 27 and chart.data[0].zmax == 98
    assert [note.text for note in chart.layout.annotations] == [str(COUNTS[i, i]) for i in range(10)]


def test_no_mistakes_at_all():
    assert confusion(np.eye(10, dtype=int), LIGHT, title="t").data[0].zmax == 1


def test_bars_of_muted_latents():
    chart = muting([0.5, 0.75], 0.9, LIGHT, title="t")
    assert list(chart.data[0].y) == [0.5, 0.75] and "90.0%" in chart.layout.annotations[0].text
    assert chart.layout.shapes[0].y0 == 0.9


def test_lines_of_times():
    chart = times([64, 128], [1.0, 4.0], {8: [0.1, 0.2]}, LIGHT, title="t")
    assert [trace.name for trace in chart.data] == ["self-attention", "8 latents"]
    assert list(chart.data[1].y) == [0.1, 0.2]


def test_two_matrices_keep_their_cells():
    before, after = np.full((6, 5), 2.0), -np.ones((3, 4))
    cells = np.array(before_and_after(before, after, ("a", "b"), LIGHT, title="t").data[0].z)
    assert cells.shape == (6, 13) and (cells[:, :5] == 1).all() and (cells[:3, 9:] == -1).all()
    assert np.isnan(cells[3:, 9:]).all() and np.isnan(cells[:, 5:9]).all()

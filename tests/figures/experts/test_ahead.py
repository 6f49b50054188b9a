"""Accuracy by depth and speeds, drawn."""

import pytest

from tlmviz.figures.experts.ahead import accuracy_by_depth, speeds
from tlmviz.figures.theme import DARK, LIGHT


def test_shares_are_percent():
    figure = accuracy_by_depth([(1, 2), (0, 1), (0, 0)], [(1, 1), (0, 1), (0, 0)], [0.5, 0.25, 0.2, 0.1], LIGHT)
    assert figure.data[0].y == (50, 0, None) and figure.data[1].y == (100, 0, None)
    assert figure.data[2].y == (50, 25, 20, 10)
    assert figure.data[2].x == ("t + 1", "t + 2", "t + 3", "t + 4") and figure.data[0].customdata[0] == "1 of 2"


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_speeds(theme):
    [bars] = speeds([90.0, 100.0, 130.0], [140.0, 150.0, 151.0], theme).data
    assert bars.x == (150, 100) and bars.error_x.array == (1, 30) and bars.error_x.arrayminus == (10, 10)

"""The chart of what a step costs shows the counts and the ranges it is given."""

import numpy as np

from tlmviz.analysis.words.step_costs import Cost
from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.words.step_costs import step_costs

COSTS = [
    Cost("Full softmax", 100, 9600, np.array([90.0, 110.0])),
    Cost("1 negative sample", 2, 192, np.array([20.0, 21.0])),
]


def test_bars_have_the_counts_and_the_ranges():
    for theme in (LIGHT, DARK):
        counted, timed = step_costs(COSTS, theme).data
        assert list(counted.x) == [9600, 192] and list(timed.x) == [90, 20]
        assert list(timed.error_x.array) == [20, 1] and timed.text[0] == "90 – 110 µs"

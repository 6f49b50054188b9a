"""The chart of what hidden tokens cost."""

import numpy as np

from tlmviz.figures import LIGHT
from tlmviz.figures.beyond.encoding import losses


def test_two_bars_a_token():
    figure = losses(["The", " dog"], np.array([1.0, 2.0]), np.array([3.0, 4.0]), LIGHT)
    both, causal = figure.data
    assert list(both.y) == [1, 2] and list(causal.y) == [3, 4] and both.name == "from both sides"
    assert "bits" in figure.layout.title.text and figure.layout.xaxis.ticktext[1].strip().endswith("dog")

"""Bars of costs: a filled bar within an outlined one, and axes that may begin above zero."""

import numpy as np

from tlmviz.figures import LIGHT
from tlmviz.figures.experts.costs import Panel, cost_bars


def test_the_active_part_lies_within_all():
    panels = [Panel("parameters", [4.0, 2.0], ".1f", [3.0, 2.0]), Panel("bits", [1.25, 1.5], ".2f")]
    figure = cost_bars(["moe", "dense"], panels, LIGHT)
    every, active, bits = figure.data
    np.testing.assert_allclose(every.x, [4, 2])
    np.testing.assert_allclose(active.x, [3, 2])
    assert list(active.text) == ["3.0 of 4.0", "2.0 of 2.0"] and list(bits.text) == ["1.25", "1.50"]
    assert every.xaxis == active.xaxis == "x" and bits.xaxis == "x2"
    assert [note.text for note in figure.layout.annotations] == ["parameters", "bits"]

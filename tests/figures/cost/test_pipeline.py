"""The chart of bubbles against micro-batches."""

import numpy as np

from tlmviz import figures
from tlmviz.analysis.cost import pipeline
from tlmviz.analysis.cost.pipeline import GPIPE, ZERO, Setting
from tlmviz.figures.cost.pipeline import bubbles


def test_gpipe_lies_on_the_formula_and_zero_bubble_below_it():
    found = {name: pipeline.bubbles(name, Setting(), range(1, 13)) for name in (GPIPE, ZERO)}
    chart = bubbles(found, 4, 8, figures.LIGHT, chosen=ZERO)
    gpipe, zero, formula = chart.data
    np.testing.assert_allclose(gpipe.y, formula.y)
    assert (zero.y < formula.y).all() and list(formula.x) == list(range(1, 13))
    assert zero.line.width > gpipe.line.width and chart.layout.shapes[0].x0 == 8
    assert len(bubbles({}, 1, 3, figures.DARK, chosen=GPIPE).data) == 1

"""The picture of a model's numbers over a format."""

import numpy as np
import pytest

from tlmviz.figures import THEMES
from tlmviz.figures.numbers.formats import doublings


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
@pytest.mark.parametrize("limits", [(2**-9, 2**-6, 448.0), (2**-149, 2**-126, 3e38), (1.0, 1.0, 7.0)])
def test_lines_and_the_format_s_limits(theme, limits):
    e = np.arange(-20, 5)
    share = np.eye(len(e))[3]
    figure = doublings({"weights": (e, share), "gradients": (e, share)}, limits, theme, title="t")
    assert [trace.name for trace in figure.data] == ["weights", "gradients"]
    assert max(figure.data[0].y) == pytest.approx(100)
    low, high = figure.layout.xaxis.range
    assert low < -17 < high and low < np.log2(limits[0]) < high
    uprights = [shape.x0 for shape in figure.layout.shapes if shape.type == "line"]
    assert np.log2(limits[1]) in [pytest.approx(x) for x in uprights]

"""Charts of the page Norms and dropout show the numbers they are given."""

import numpy as np
import pytest

from tlmviz.analysis.numbers import norms
from tlmviz.figures import THEMES
from tlmviz.figures.numbers import norms as figures


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_offsets(theme):
    draw = np.random.default_rng(0)
    found = {name: norms.offset(draw.normal(1, 1, (5, 4)), draw.normal(0, 1, (3, 4)), None) for name in "ab"}
    dropped, fixed, own = figures.offsets(found, theme, title="t").data
    assert list(dropped.y) == pytest.approx([100 * each.dropped for each in found.values()])
    assert list(fixed.y) == pytest.approx([100 * each.fixed for each in found.values()])
    assert list(own.y) == [0, 0] and list(own.x) == ["a", "b"]

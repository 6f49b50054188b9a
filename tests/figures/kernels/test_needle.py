"""The figure of the needle test: a line a method, on the distances that were measured."""

import numpy as np

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.kernels import needle


def test_every_method_has_its_line():
    names = ["Full", *(f"method {n}" for n in range(9))]
    values = {name: np.arange(3.0) + place for place, name in enumerate(names)}
    for theme in (LIGHT, DARK):
        drawn = needle.gains(values, (16, 32, 64), 0.5, theme)
        assert [line.name for line in drawn.data] == names
        for line in drawn.data:
            assert list(line.x) == [16, 32, 64] and np.allclose(line.y, values[line.name])
        assert len({(line.line.color, line.line.dash) for line in drawn.data}) == len(names)
        assert drawn.layout.shapes[0].y0 == 0.5 and drawn.layout.title.text

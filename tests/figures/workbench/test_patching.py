"""The scatter of preview against exact: every patch a point, and the line where both agree reaches beyond all of
them."""

import numpy as np

from tlmviz import figures
from tlmviz.figures.workbench import patching


def test_every_patch_is_a_point():
    preview, exact = np.array([-0.5, 0.2, 1.4]), np.array([-0.7, 0.1, 1.2])
    figure = patching.scatter(preview, exact, ["0.0", "0.1", "1.0"], figures.LIGHT, title="r")
    line, points = figure.data
    np.testing.assert_allclose(points.x, preview, rtol=1e-6)
    np.testing.assert_allclose(points.y, exact, rtol=1e-6)
    assert list(points.text) == ["0.0", "0.1", "1.0"]
    assert min(line.x) <= -0.7 and max(line.x) >= 1.4 and list(line.x) == list(line.y)

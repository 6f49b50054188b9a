"""Pictures of the page Doctor: a colour for each error, a frame around the first, and a picture for each kind of
proof."""

import numpy as np
import pytest

from tlmviz import figures
from tlmviz.analysis.workbench.doctor.proof import Proof
from tlmviz.figures.workbench import doctor


def test_errors_are_powers_of_ten_and_the_first_is_framed():
    errors = np.array([[1e-3, np.nan, np.nan], [np.nan, 0, 1e-12], [np.nan, 0.5, np.inf], [np.nan] * 3])
    figure = doctor.steps_map(["embed", "attn.q", "attn.lse"], errors, (2, 1), figures.LIGHT, title="steps")
    cells, frame = figure.data
    np.testing.assert_allclose(cells.z, [[-3, np.nan, np.nan], [np.nan, -8, -8], [np.nan, np.log10(0.5), 0]], rtol=1e-5)
    assert (list(frame.x), list(frame.y)) == ([1], [2])  # the row behind the layers has nothing and is left out
    assert "1, attn.q: 0.5" in str(cells.text)


@pytest.mark.parametrize(
    ("kind", "cause", "value"),
    [("scores", "scale", 2.0), ("sums", "sink", 1.0), ("values", "activation", "gelu"), ("scores", "soft-cap", 3.0)],
)
def test_a_scatter_has_the_fit_that_is_named(kind, cause, value):
    x = np.linspace(-2, 5, 50)
    figure = doctor.proof(Proof(kind, x, 2 * x), cause, value, figures.DARK, title="t")
    np.testing.assert_allclose(figure.data[1].x, x, rtol=1e-6)
    assert len(figure.data) == (3 if isinstance(value, float) else 2)
    if cause == "scale":
        np.testing.assert_allclose(figure.data[2].y, 2 * figure.data[2].x, rtol=1e-5)


def test_planes_cells_and_layers():
    slopes = 1e4 ** -np.linspace(0, 1, 8)
    expected, found = doctor.proof(
        Proof("angles", slopes, 2 * slopes), "rope scaling", 0.5, figures.LIGHT, title=""
    ).data
    np.testing.assert_allclose(found.y, 2 * expected.y, rtol=1e-5)
    ahead = np.angle(np.exp(5j * slopes))
    line, points = doctor.proof(Proof("ahead", slopes, ahead), "position offset", 5.0, figures.LIGHT, title="").data
    np.testing.assert_allclose(line.y, points.y, atol=1e-6)
    cells = np.array([[2, 1, 0], [2, 1, 1]])
    [table] = doctor.proof(Proof("cells", cells, cells, 1), "padding", 1.0, figures.LIGHT, title="").data
    assert table.x0 == -1 and table.text[0][0] == "seen by B alone" and table.text[1][2] == "seen by both"
    names = [
        line.name
        for line in doctor.proof(
            Proof("shares", np.arange(2), np.ones((3, 2))), "weights", "W_K", figures.LIGHT, title=""
        ).data
    ]
    assert names == ["W_Q", "W_K", "W_V"]

"""Pictures of what a changed routing costs."""

import numpy as np

from tlmviz.figures import LIGHT
from tlmviz.figures.experts.changes import capacity_curve, change_map, losses


def test_both_losses_of_every_token_are_bars():
    figure = losses(["⟨start⟩", "a", "b"], np.array([1.0, 2.0]), np.array([1.5, 2.5]), LIGHT, what="changed")
    before, after = figure.data
    np.testing.assert_allclose([before.y, after.y], [[1, 2], [1.5, 2.5]])
    assert [before.name, after.name] == ["as trained", "changed"] and list(before.customdata) == ["a", "b"]


def test_the_map_is_centred_on_no_change():
    change = np.array([[0.5, -0.1], [0.0, 0.2]])
    figure = change_map(change, [0, 2], LIGHT, title="Change (nats)")
    np.testing.assert_allclose(figure.data[0].z, change, rtol=1e-6)
    assert figure.data[0].zmin == -figure.data[0].zmax == -0.5
    assert list(figure.data[0].y) == ["layer 0", "layer 2"]
    assert change_map(np.zeros((1, 2)), [0], LIGHT, title="").data[0].zmax == 1.0


def test_a_curve_marks_the_capacity_and_the_loss_without_a_limit():
    figure = capacity_curve([0.5, 1.0], [40.0, 10.0], [2.5, 2.1], 2.0, 1.0, LIGHT)
    dropped, loss = figure.data
    np.testing.assert_allclose(dropped.y, [40, 10])
    np.testing.assert_allclose(loss.y, [2.5, 2.1], rtol=1e-6)
    plain, here = figure.layout.shapes
    assert plain.y0 == plain.y1 == 2.0 and here.x0 == here.x1 == 1.0

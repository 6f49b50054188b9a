"""The balance through training: a frame for each moment, with what was counted there."""

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.experts.loads import cells
from tlmviz.figures.experts.training import Curve, Moments, balance

EVEN = 0.5


def moments(steps, bias, seed=0):
    drawn = np.random.default_rng(seed)
    load = drawn.dirichlet(np.ones(4), (len(steps), 2)) * 4 * EVEN
    return Moments(np.array(steps), load, drawn.standard_normal(load.shape) if bias else None)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_moment_is_a_frame(theme):
    every = {"moe": moments([0, 10, 30], True), "aux": moments([0, 20, 30], False, 1)}
    panels = {"largest": {name: Curve(each.steps, each.load.max((1, 2))) for name, each in every.items()}}
    figure = balance(every, panels, [0, 1], EVEN, theme)
    steps = [0, 10, 20, 30]
    assert [step.label for step in figure.layout.sliders[0].steps] == [str(step) for step in steps]
    for frame, step in zip(figure.frames, steps, strict=True):
        load, bias, other = (np.asarray(trace.z) for trace in frame.data)
        at = int(np.searchsorted([0, 10, 30], step, "right")) - 1
        np.testing.assert_allclose(load, cells(every["moe"].load[at], EVEN)["z"])
        np.testing.assert_allclose(bias, every["moe"].bias[at].astype(np.float32))
        last = int(np.searchsorted([0, 20, 30], step, "right")) - 1
        np.testing.assert_allclose(other, cells(every["aux"].load[last], EVEN)["z"])
        assert frame.layout.shapes[0].x0 == step
    assert [note.text for note in figure.layout.annotations][1:] == [
        "<b>moe</b>: load of each expert",
        "<b>moe</b>: bias of each expert",
        "<b>aux</b>: load of each expert",
    ]
    assert sum(trace.type == "scatter" for trace in figure.data) == 2


def test_panels_and_maps_do_not_overlap():
    every = {"moe": moments([0, 5], True)}
    panels = {title: {"moe": Curve(np.array([0, 5]), np.array([1.0, 2.0]))} for title in ("largest", "held out")}
    figure = balance(every, panels, [0, 1], EVEN, LIGHT)
    upper, lower = figure.layout.yaxis.domain, figure.layout.yaxis2.domain
    assert lower[1] < upper[0] and figure.layout.xaxis.domain[1] < figure.layout.xaxis3.domain[0]

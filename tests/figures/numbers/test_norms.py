"""Charts of the page Norms and dropout show the numbers they are given."""

import numpy as np
import pytest

from tlmviz.analysis.numbers import norms, warmup
from tlmviz.analysis.numbers.dropout import Losses
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


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_first_steps_are_means_of_ten(theme):
    runs = warmup.read()[:4]
    figure = figures.first_steps(runs, 50, theme, title="t")
    for run, trace in zip(runs, figure.data):
        assert trace.y[0] == pytest.approx(run.loss[0]) and trace.y[-1] == pytest.approx(run.loss[-10:].mean())
        assert trace.line.dash == ("solid" if run.warmup else "dash") and run.placement in trace.name
    assert figure.layout.shapes[0].x0 == 50


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
@pytest.mark.parametrize("size", [8, 64])
def test_through_depth(theme, size):
    values = np.geomspace(1e-4, 1, size)
    places = [f"p{i}" for i in range(size)]
    [trace] = figures.through_depth({"a": (values, {"color": "red"})}, places, theme, title="t", y="y").data
    assert list(trace.y) == pytest.approx(list(values)) and list(trace.customdata) == places


@pytest.mark.parametrize("theme", THEMES.values(), ids=str)
def test_masked_losses(theme):
    found = Losses(1.5, np.linspace(1.4, 1.9, 40), 1.45)
    bars, plain, mean, averaged = figures.masked_losses(found, theme, title="t").data
    assert sum(bars.y) == 40 and plain.x[0] == plain.x[1] == 1.5
    assert mean.x[0] == pytest.approx(1.65) and averaged.x[0] == pytest.approx(1.45)

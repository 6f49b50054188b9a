"""The zoo's charts: what lies inside the noise is called so, far values have an axis of their own, odd tables are
drawn."""

import json

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.caches import zoo as figures

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
NAMES = ["baseline", "ALiBi", "no positions", "one head, shared", "post-norm"]
GROUPS = ["baseline", "positions", "positions", "attention", "norm"]
BITS = np.array([1.23, 1.205, 1.41, 1.233, 1.72])
BAND = (1.221, 1.228, 1.235)
CACHE = np.array([4096, 4096, 4096, 512, 4096.0])
COSTS = {"parameters": np.array([1e6, 1e6, 1e6, 9e5, 1e6]), "tokens/s": np.array([1000.0, 900, np.nan, 1200, 1100])}
FIGURES = {
    "choices": lambda theme: figures.choices(NAMES, GROUPS, BITS, BAND, theme),
    "trade": lambda theme: figures.trade(NAMES, NAMES, GROUPS, CACHE, BITS, BAND, theme),
    "costs": lambda theme: figures.costs(NAMES, GROUPS, COSTS, theme),
}


@THEMES
@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_every_figure_has_a_title_and_travels_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"] and all("bdata" in trace["x"] for trace in sent["data"] if len(trace["x"]))


def test_every_choice_is_drawn_once_and_named_with_its_difference():
    figure = figures.choices(NAMES, GROUPS, BITS, BAND, LIGHT)
    dots = [(y, x, word) for data in figure.data[1:] for y, x, word in zip(data.y, data.x, data.customdata)]
    assert [(x, NAMES[y]) for y, x, _ in sorted(dots)] == list(zip(BITS, NAMES))
    said = {NAMES[y]: word for y, _, word in dots}
    assert "within seed noise" in said["baseline"] and "within seed noise" in said["one head, shared"]
    assert "within seed noise" not in said["ALiBi"] and "−0.0230" in said["ALiBi"]


def test_far_values_have_an_axis_of_their_own_and_near_ones_do_not():
    figure = figures.choices(NAMES, GROUPS, BITS, BAND, LIGHT)
    far = [x for data in figure.data if data.xaxis == "x2" for x in data.x]
    assert sorted(far) == [1.41, 1.72] and figure.layout.xaxis.range[1] < 1.41 < figure.layout.xaxis2.range[1]
    together = figures.choices(NAMES[:2], GROUPS[:2], BITS[:2], BAND, LIGHT)
    assert "xaxis2" not in together.layout.to_plotly_json()
    assert not any(data.x.size for data in together.data if data.xaxis == "x2")


def test_the_band_is_drawn_where_it_is():
    for make, ends in (("choices", ("x0", "x1")), ("trade", ("y0", "y1"))):
        rect = next(shape for shape in FIGURES[make](LIGHT).layout.shapes if shape.type == "rect")
        assert tuple(rect[end] for end in ends) == (BAND[0], BAND[2])


def test_names_in_the_trade_do_not_lie_upon_each_other():
    """Three models of one cache, two of them almost equal: those two are told by the hover alone."""
    bits = np.array([1.23, 1.2301, 1.205])
    figure = figures.trade(["a", "b", "c"], NAMES[:3], ["x"] * 3, np.full(3, 4096.0), bits, BAND, LIGHT)
    assert list(figure.data[0].text) == ["", "", "c"] and list(figure.data[0].customdata) == NAMES[:3]


def test_a_name_in_the_trade_stands_away_from_the_dot_that_is_nearest():
    cache, bits = np.array([1024.0, 1152.0, 1152.0]), np.array([1.222, 1.225, 1.247])
    figure = figures.trade(["gqa", "mla", "cq"], NAMES[:3], ["x"] * 3, cache, bits, BAND, LIGHT)
    sides = dict(zip(figure.data[0].text, figure.data[0].textposition))
    assert sides == {"gqa": "bottom center", "mla": "top center", "cq": "top center"}


def test_what_is_not_drawn_is_counted():
    assert "2 far away" in figures.trade(NAMES, NAMES, GROUPS, CACHE, BITS, BAND, LIGHT).layout.annotations[0].text


def test_costs_start_at_zero_and_what_was_not_measured_has_no_bar():
    figure = figures.costs(NAMES, GROUPS, COSTS, LIGHT)
    assert [trace.type for trace in figure.data] == ["bar", "scatter"] * 2
    assert figure.layout.xaxis.range[0] == figure.layout.xaxis2.range[0] == 0
    bars, numbers = figure.data[2:]
    assert list(numbers.text) == ["1,000", "900", "", "1,200", "1,100"] and np.isnan(bars.x[2])
    assert min(numbers.x) > max(bars.x[np.isfinite(bars.x)])
    first = figures.costs(NAMES, GROUPS, {"parameters": np.full(len(NAMES), 1_066_112.0)}, LIGHT).data[1]
    assert set(first.text) == {"1.066 M"}
    rules = [shape.x0 for shape in figure.layout.shapes]
    assert rules == [1e6, 1000.0]


@pytest.mark.parametrize(
    "values, band",
    [
        ([1.2], (1.2, 1.2, 1.2)),
        ([1.2, 5.0], (1.2, 1.2, 1.2)),
        ([9.0, 9.1], (1.1, 1.2, 1.3)),
        ([1.2, 1.2], (1.1, 1.2, 1.3)),
    ],
)
def test_odd_tables_are_drawn(values, band):
    names, groups = [f"<b>{i}</b>" for i in range(len(values))], ["baseline"] * len(values)
    values = np.array(values)
    assert figures.near(values, band).any()
    for figure in (
        figures.choices(names, groups, values, band, DARK),
        figures.trade(names, names, groups, values, values, band, DARK),
        figures.costs(names, groups, {"none": np.full(len(values), np.nan)}, DARK),
    ):
        assert "NaN" not in json.dumps(json.loads(figure.to_json())["layout"])

"""Pictures of what caches cost: titles, binary numbers, and that odd numbers are drawn."""

import json

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.caches import kv_costs

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
X = np.array([1, 2, 4, 8])
COSTS = {
    "milliseconds": lambda theme: kv_costs.milliseconds({"with": (X, X / 2), "without": (X[:2], X[:2])}, 3, theme),
    "operations": lambda theme: kv_costs.operations(X, {"with": X * 1e6, "without": X * 1e8}, 4, theme),
    "token bytes": lambda theme: kv_costs.token_bytes(
        ["a", "b"], {"keys": np.array([2, 0]), "c_KV": np.array([0, 3])}, np.array([2.0, 3.0]), 64, theme
    ),
    "growth": lambda theme: kv_costs.growth(X, {"a": X * 1e3}, {"a": (X[1:], X[1:] * 1e3)}, theme),
    "per request": lambda theme: kv_costs.per_request(
        ["a", "b"], ["MHA", "GQA, window 4"], np.array([1e6, 2e9]), np.array([True, False]), 1, theme, title="Requests"
    ),
    "memory": lambda theme: kv_costs.memory(X, X * 1e9, 5e9, 12e9, 4, theme, title="Memory"),
}


@THEMES
@pytest.mark.parametrize("make", COSTS.values(), ids=COSTS)
def test_every_figure_has_a_title_and_sends_its_numbers_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"]
    for trace in sent["data"]:
        assert "bdata" in trace["x"] and "bdata" in trace["y"]


def test_a_hiccup_is_a_dot_and_not_in_the_line():
    x, y = np.arange(20), np.ones(20)
    y[7] = 50.0
    dots, line = kv_costs.milliseconds({"with": (x, y)}, 1, LIGHT).data
    assert max(dots.y) == 50 and max(line.y) == 1


def test_memory_is_drawn_in_a_fitting_unit_and_its_limit_only_when_near():
    near, far = (kv_costs.memory(X, X * 1e3, None, limit, 4, LIGHT, title="M") for limit in (12e3, 1e9))
    assert len(near.layout.shapes) == 2 and len(near.layout.annotations) == 1
    assert len(far.layout.shapes) == 1 and not far.layout.annotations
    assert near.layout.yaxis.title.text == "kB" and near.layout.title.text == "M (kB)"
    assert list(near.data[1].y) == [1, 2, 4, 8]


@pytest.mark.parametrize("values", [np.array([5.0, 5.0]), np.array([0.5, 1e15])], ids=str)
def test_equal_and_far_apart_requests_are_drawn(values):
    kind = ["MHA"] * 2
    low, high = kv_costs.per_request(["a", "b"], kind, values, values > 1, 0, DARK, title="x").layout.xaxis.range
    assert low < np.log10(values.min()) and high > np.log10(values.max())

"""Pictures of position schemes side by side."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.positions import position_schemes as figures

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
RANDOM = np.random.default_rng(0)
ADDED = {
    "Learned": SimpleNamespace(values=RANDOM.normal(size=(8, 30)), what="vector", rows="dimension", columns="position"),
    "ALiBi": SimpleNamespace(values=-RANDOM.random((4, 30)) * 50, what="bias", rows="head", columns="distance"),
    "None": SimpleNamespace(values=np.zeros((1, 30)), what="nothing", rows="", columns="position"),
    "RoPE": SimpleNamespace(values=RANDOM.normal(size=(4, 30)), what="cos", rows="plane", columns="position"),
}
ALIKE = {"Learned": (np.eye(4), np.arange(0, 8, 2)), "None": (np.ones((4, 4)), np.arange(4))}
WEIGHT = {"ALiBi": np.exp(-np.arange(64) * np.array([[0.5], [0.01]])), "RoPE": np.ones((2, 64)) / 64}
COLORS = {"ALiBi": "#1f77b4", "RoPE": "#e08a00"}
FIGURES = {
    "added": lambda theme: figures.added(ADDED, theme),
    "similar": lambda theme: figures.similar(ALIKE, {"Learned": "cosine", "None": "all alike"}, theme),
    "by distance": lambda theme: figures.by_distance(WEIGHT, 1, 2, theme),
    "slopes": lambda theme: figures.slopes(np.array([0.5, 0.25]), np.array([[0.5, -0.1], [0.4, 0.2]]), theme),
    "ranked": lambda theme: figures.ranked(WEIGHT, "Mean (tokens)", "tokens", COLORS, theme),
}


@THEMES
@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_every_figure_has_a_title_and_sends_its_numbers_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"]
    assert all(set(trace.get("z", trace["y"])) >= {"dtype", "bdata"} for trace in sent["data"])


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6])
def test_panels_share_the_room_without_overlap(count):
    one = ADDED["Learned"]
    figure = figures.added({f"scheme {i}": one for i in range(count)}, LIGHT)
    names = [axis for axis in figure.layout.to_plotly_json() if axis.startswith("xaxis")]
    boxes = [(figure.layout[name].domain, figure.layout[name.replace("x", "y", 1)].domain) for name in names]
    assert len(boxes) == count
    for i, (x, y) in enumerate(boxes):
        assert 0 <= x[0] < x[1] <= 1.0001 and -1e-9 <= y[0] < y[1] <= 1
        for other_x, other_y in boxes[:i]:
            assert x[0] >= other_x[1] or y[1] <= other_y[0]


def test_zero_has_the_colour_of_the_page_and_a_bias_is_cut_where_a_weight_is_gone():
    learned, alibi, none, _ = figures.added(ADDED, LIGHT).data
    assert learned.zmax == -learned.zmin == pytest.approx(np.abs(ADDED["Learned"].values).max())
    assert (alibi.zmin, alibi.zmax) == (figures.STEEPEST, -figures.STEEPEST)
    assert none.hoverinfo == "skip" and none.zmax > 0
    texts = [note.text for note in figures.added(ADDED, LIGHT).layout.annotations]
    assert "0 to ≤ −10" in texts[1] and "mask" in texts[2]


def test_distance_zero_has_a_place_and_the_chosen_head_lies_on_top():
    figure = figures.by_distance(WEIGHT, 0, 3, LIGHT)
    lines = [trace for trace in figure.data if trace.xaxis == "x"]
    assert lines[-1].hovertemplate.startswith("ALiBi, L3H0") and lines[-1].line.width > lines[0].line.width
    assert lines[0].x[0] == figures.HALF and list(lines[0].x[1:3]) == [1, 2] and lines[0].customdata[0] == 0
    assert len(lines[0].x) == 64 - figures.LEAST + 1
    np.testing.assert_allclose(lines[-1].y[:4], WEIGHT["ALiBi"][0, :4], rtol=1e-6)
    assert np.isnan(lines[-1].y[-1])  # below the floor


@pytest.mark.parametrize("count", [1, 2, 20])
def test_short_texts_are_drawn(count):
    assert figures.by_distance({"RoPE": np.ones((2, count))}, 0, 0, DARK).data


def test_decays_that_do_not_fall_lie_on_the_floor_and_hover_says_what_they_are():
    line, first, _ = figures.slopes(np.array([0.5, 0.25]), np.array([[0.5, -0.1], [0.4, 0.2]]), LIGHT).data
    np.testing.assert_allclose(line.y, [0.5, 0.25])
    np.testing.assert_allclose(first.y, [0.5, 0.0625])
    np.testing.assert_allclose(first.customdata, [0.5, -0.1], rtol=1e-6)


def test_heads_are_ranked_and_keep_their_names():
    values = {"RoPE": np.array([[3.0, 1.0], [2.0, 4.0]])}
    [line] = figures.ranked(values, "Mean (tokens)", "tokens", COLORS, LIGHT).data
    assert list(line.y) == [1, 2, 3, 4]
    assert list(line.customdata) == ["RoPE, L0H1", "RoPE, L1H0", "RoPE, L0H0", "RoPE, L1H1"]

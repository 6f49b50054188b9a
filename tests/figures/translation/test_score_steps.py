"""Pictures of the page "Attention scores": one step from scores to context, entropies, SDPA beside the model, the
scale."""

import json

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.translation import score_steps as figures

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
RANDOM = np.random.default_rng(0)
SHARES = RANDOM.normal(size=(3, 8)).astype(np.float32)
C = SHARES.sum(0)
TOKENS = ["<b>", " cat", "."]
BITS = {"dot": np.array([0.5, 1.0, 0.2]), "general": np.array([0.1, 1.5])}
FIGURES = {
    "bars": lambda theme: figures.scores_and_weights(
        np.array([-1.0, 2.0, 0.0]), np.array([0.1, 0.7, 0.2]), TOKENS, theme, title="dot"
    ),
    "mixture": lambda theme: figures.mixture(SHARES, C, TOKENS, theme, title="Shares"),
    "entropy": lambda theme: figures.entropy_lines(BITS, {"dot": TOKENS, "general": TOKENS[:2]}, 8, theme),
    "twice": lambda theme: figures.same_twice(C, C + 1e-7, theme),
    "scale": lambda theme: figures.scale_curve(
        np.array([0.1, 1.0, 10.0]), np.array([1.5, 1.0, 0.1]), {"here": (1.0, 1.0), "there": (0.1, 1.5)}, 3, theme
    ),
}


@THEMES
@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_every_figure_has_a_title_and_sends_its_numbers_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"]
    assert all(set(part.get("z", part["y"])) >= {"dtype", "bdata"} for part in sent["data"])
    assert "<b>" not in json.dumps(sent)


def test_weights_lie_below_their_scores():
    weights, scores = FIGURES["bars"](LIGHT).data
    assert list(weights.y) == pytest.approx([0.1, 0.7, 0.2]) and list(scores.y) == [-1, 2, 0]
    assert scores.yaxis == "y2" and FIGURES["bars"](LIGHT).layout.yaxis2.domain[0] > 0.48


def test_columns_of_shares_add_up_to_the_last_row():
    [cells] = FIGURES["mixture"](LIGHT).data
    np.testing.assert_allclose(cells.z[:3].sum(0), cells.z[-1], atol=1e-6)
    assert (np.diff(cells.z[-1]) >= 0).all() and np.isnan(cells.z[3]).all()
    assert -cells.zmin == cells.zmax == pytest.approx(max(np.abs(C).max(), np.abs(SHARES).max()))
    against = np.array([[3.0, 0.0], [-2.5, 0.5]], np.float32)  # what two states bring may cancel
    [cells] = figures.mixture(against, against.sum(0), ["a", "b"], LIGHT, title="x").data
    assert cells.zmax == 3
    [cells] = FIGURES["mixture"](LIGHT).data
    np.testing.assert_allclose(C[np.array(cells.customdata)[0].astype(int)], cells.z[-1])


def test_entropies_have_a_line_each_and_the_bound():
    figure = FIGURES["entropy"](LIGHT)
    assert [line.name for line in figure.data] == ["dot", "general"] and list(figure.data[1].x) == [1, 2]
    assert figure.layout.shapes[0].y0 == 3  # log2 of 8 source tokens


def test_points_lie_on_the_line():
    line, points = FIGURES["twice"](LIGHT).data
    np.testing.assert_allclose(points.y, line.y[: len(points.y)], atol=1e-6)


def test_the_smallest_inputs_are_drawn():
    one = np.ones(1, np.float32)
    figures.scores_and_weights(one, one, ["a"], LIGHT, title="x")
    assert figures.mixture(one[None] * 0, one * 0, ["a"], LIGHT, title="x").data[0].zmax > 0
    assert figures.entropy_lines({"dot": one * 0}, {"dot": ["a"]}, 1, DARK).layout.yaxis.range[1] > 0
    figures.scale_curve(one, one * 0, {"here": (1.0, 0.0)}, 1, DARK)
    figures.mixture(np.ones((128, 4), np.float32), np.ones(4), ["a"] * 128, DARK, title="x")

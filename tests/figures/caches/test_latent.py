"""Pictures of latent attention: products to scale, parts of a score, and a product that turns with the distance."""

import json

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.caches import latent as figures

RNG = np.random.default_rng(0)
W_Q, UP_K, UP_V, W_O = (RNG.standard_normal(shape) for shape in ((32, 8), (8, 12), (12, 8), (8, 32)))
PARTS = [
    ([("W_Q", W_Q), ("W_↑K'", UP_K), ("absorbed", W_Q @ UP_K)], "the score"),
    ([("W_↑V", UP_V), ("W_O", W_O), ("absorbed", UP_V @ W_O)], "the output"),
]
FUTURE = np.where(np.tril(np.ones((6, 6))) > 0, 0, np.nan).astype(np.float32)
CONTENT, ROTARY = (RNG.standard_normal((6, 6)).astype(np.float32) + FUTURE for _ in range(2))
WEIGHTS = RNG.random((6, 6)).astype(np.float32)
TOKENS = ["<|endoftext|>", " a", " b", "\n", "<b>", " c"]
MATRICES, MOVED = RNG.standard_normal((4, 8, 12)).astype(np.float32), np.linspace(0, 1, 8).astype(np.float32)
FIGURES = {
    "folding": lambda theme: figures.folding(PARTS, theme),
    "scores": lambda theme: figures.score_parts(CONTENT, ROTARY, WEIGHTS, TOKENS, theme, title="Head"),
    "turning": lambda theme: figures.turning(MATRICES, [0, 1, 2, 4], MOVED, 0.4, theme, name="W_Q R W_K'"),
}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_every_figure_has_a_title_and_travels_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"] and all(
        "bdata" in trace["z"] for trace in sent["data"] if trace["type"] == "heatmap"
    )


def test_matrices_are_drawn_to_one_scale_and_in_order():
    figure = figures.folding(PARTS, LIGHT)
    assert len(figure.data) == 6
    axes = [figure.layout[f"xaxis{heat.xaxis[1:]}"] for heat in figure.data]
    units = [(axis.domain[1] - axis.domain[0]) / heat.z.shape[1] for axis, heat in zip(axes, figure.data)]
    np.testing.assert_allclose(units, units[0])
    tall = [figure.layout[f"yaxis{heat.yaxis[1:]}"].domain for heat in figure.data]
    np.testing.assert_allclose([(b - a) / heat.z.shape[0] for (a, b), heat in zip(tall, figure.data)], 0.7 / 32)
    ends = [end for axis in axes for end in axis.domain]
    assert ends == sorted(ends) and ends[-1] <= 1  # nothing overlaps
    np.testing.assert_allclose(figure.data[2].z, W_Q @ UP_K, rtol=1e-6)
    assert "32 × 8" in figure.layout.annotations[0].text


def test_parts_add_up_and_share_a_scale_about_zero():
    figure = figures.score_parts(CONTENT, ROTARY, WEIGHTS, TOKENS, LIGHT, title="Head")
    content, rotary, both, weights = (heat.z for heat in figure.data)
    np.testing.assert_allclose(content + rotary, both, rtol=1e-6)
    limit = np.nanmax(np.abs([CONTENT, ROTARY, CONTENT + ROTARY]))
    assert {(heat.zmin, heat.zmax) for heat in figure.data[:3]} == {(-limit, limit)}
    assert (figure.data[3].zmin, figure.data[3].zmax) == (0, 1) and np.isnan(both[0, 1])
    assert figure.data[0].customdata[4][1] == "4 “&lt;b&gt;”, key 1 “a”"


def test_a_cut_map_counts_positions_from_where_it_starts():
    n = 60
    square = np.zeros((n, n), np.float32)
    figure = figures.score_parts(square, square, square, ["x"] * n, LIGHT, title="Head", start=40)
    assert figure.data[0].x0 == figure.data[0].y0 == 40 and tuple(figure.layout.xaxis.range) == (39.5, 99.5)
    assert figure.data[0].customdata is None and "query %{y}, key %{x}" in figure.data[0].hovertemplate


def test_the_slider_walks_matrix_and_dot_together():
    figure = figures.turning(MATRICES, [0, 1, 2, 4], MOVED, 0.4, LIGHT, name="W_Q R W_K'")
    for frame, matrix, distance in zip(figure.frames, MATRICES, [0, 1, 2, 4]):
        np.testing.assert_array_equal(frame.data[0].z, matrix)
        assert frame.data[1].x[0] == distance and frame.data[1].y[0] == MOVED[distance]
    assert figure.layout.shapes[0].y0 == 0.4 and figure.layout.yaxis2.range[1] >= MOVED.max()


def test_a_way_of_many_turns_is_a_mean_and_its_span():
    moved = np.tile(np.array([0.0, 1.0], np.float32), 500)
    figure = figures.turning(MATRICES, [0, 1, 2, 4], moved, 0.4, LIGHT, name="W_Q R W_K'")
    _, dot, low, high, mean = figure.data
    assert len(mean.x) == 250 and mean.x[0] == 1.5 and mean.x[-1] == 997.5
    assert set(low.y) == {0.0} and set(high.y) == {1.0} and set(mean.y) == {0.5} and high.fill == "tonexty"
    assert dot.y[0] == moved[0] and figure.frames[3].data[1].y[0] == moved[4]
    assert len(figures.turning(MATRICES, [0, 1, 2, 4], MOVED, 0.4, LIGHT, name="").data) == 3


def test_one_distance_and_zeros_are_drawn():
    zero = figures.turning(np.zeros((1, 3, 3), np.float32), [0], np.zeros(1, np.float32), 0.0, DARK, name="M")
    assert len(zero.frames) == 1 and zero.data[0].zmax > 0
    one = np.zeros((1, 1), np.float32)
    assert figures.score_parts(one, one, one, ["x"], DARK, title="Head").data[0].zmax > 0

"""Pictures of long texts: what they hold, that they travel as arrays, and that the smallest inputs are drawn."""

import json

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.kernels import long_context as figures

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
P = np.random.default_rng(0).random((2, 3, 8, 8)).astype(np.float32)
FIGURES = {
    "loss": lambda theme: figures.loss_curve(np.linspace(1, 3, 500), 200, theme),
    "overview": lambda theme: figures.overview(P, (1, 2), theme),
    "head": lambda theme: figures.head_map(P[0, 0], 800, 300, (10, 20, 64), "L0H0", theme),
    "tile": lambda theme: figures.exact_tile(P[0, 0], (10, 20), (list("abcdefgh"), list("<bcdefgh")), theme),
    "per head": lambda theme: figures.per_head(P[0, 0], "Mass (probability)", theme),
    "bands": lambda theme: figures.bands(P[0, 0], list("01234567"), [f"0.{i}" for i in range(8)], 3, theme),
    "mask": lambda theme: figures.mask(P[0, 0], 800, "Strided", False, theme),
    "trade": lambda theme: figures.trade(["Full", "Window"], np.array([1e9, 1e8]), np.array([0.0, 0.2]), theme),
}


@THEMES
@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_every_figure_has_a_title_and_sends_its_numbers_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"]
    values = sent["data"][0].get("z", sent["data"][0].get("y"))
    assert set(values) >= {"dtype", "bdata"}


def test_the_loss_is_a_running_mean_and_marks_what_lies_beyond():
    loss = np.arange(400.0)
    figure = figures.loss_curve(loss, 200, LIGHT, smooth=4)
    x, y = figure.data[0].x, figure.data[0].y
    np.testing.assert_allclose(y[0], loss[:4].mean())
    np.testing.assert_allclose(y, x - 1)  # entry i is the loss of token i + 1, so the mean sits at its own token
    assert figure.layout.shapes[0].x0 == 200 and figure.layout.shapes[0].x1 == 401
    assert not figures.loss_curve(loss, 1024, LIGHT).layout.shapes


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_short_texts_have_a_loss_picture(size):
    assert len(figures.loss_curve(np.ones(size), 1024, DARK).data[0].y) == size


def test_a_head_s_map_says_the_loss_within_the_training_length_and_beyond():
    def said(*losses: float) -> list[str]:
        drawn = figures.head_map(P[0, 0], 800, 300, (0, 0, 8), "x", LIGHT, losses=losses)
        return [note.text for note in drawn.layout.annotations]

    assert said(1.234, 2.5) == ["loss 1.23 nats a token,<br>beyond the dots 2.50"]
    assert said(1.234, np.nan) == ["loss 1.23 nats a token"] and said(np.nan, np.nan) == []


def test_a_click_on_the_overview_names_its_head():
    figure = figures.overview(P, (0, 1), LIGHT)
    assert [list(pair) for pair in figure.data[1].customdata] == [
        [layer, head] for layer in range(2) for head in range(3)
    ]
    assert isinstance(json.loads(figure.to_json())["data"][1]["customdata"], list)
    assert figure.data[0].z.dtype == np.uint8 and figure.data[0].z.max() <= 255
    frame = figure.layout.shapes[-1]
    assert frame.y0 < 0 < frame.x0


def test_the_tile_s_frame_stays_inside_a_short_text():
    [frame] = figures.head_map(np.ones((3, 3)), 3, 1024, (0, 0, 256), "x", LIGHT).layout.shapes
    assert (frame.x0, frame.x1) == (-0.5, 2.5)


def test_tokens_cannot_inject_markup_and_many_of_them_are_not_named():
    few = FIGURES["tile"](LIGHT)
    assert few.layout.xaxis.ticktext[0] == "&lt;" and few.data[0].z.dtype == np.float32
    many = figures.exact_tile(np.ones((30, 30)), (0, 0), (["a"] * 30, ["a"] * 30), LIGHT)
    assert many.layout.xaxis.ticktext is None


@pytest.mark.parametrize("values", [np.zeros((1, 1)), np.ones((1, 1))])
def test_degenerate_maps_are_drawn(values):
    assert figures.head_map(values, 1, 8, (0, 0, 1), "x", LIGHT).data[0].zmax > 0
    assert figures.exact_tile(values, (0, 0), (["a"], ["a"]), LIGHT).data[0].zmax > 0
    assert figures.mask(values, 1, "x", True, DARK).data[0].zmax > 0
    assert figures.per_head(values, "x", DARK).data[0].zmax > 0
    assert figures.trade(["Full"], np.array([1e9]), np.array([0.0]), LIGHT).layout.xaxis.range


def test_names_of_methods_that_cost_and_lose_alike_stand_above_each_other():
    names = ["Full", "Window", "Blocks", "LSH", "Untrained"]
    flops, change = np.array([2e9, 2e9, 2.01e9, 4e8, 3e9]), np.array([0.0, 0.0, 0.001, 0.9, np.nan])
    [dots] = figures.trade(names, flops, change, LIGHT).data
    assert list(dots.text) == ["Full<br>Window<br>Blocks", "", "", "LSH", "Untrained"]
    assert list(dots.customdata) == names and dots.textposition[0] == "top center"

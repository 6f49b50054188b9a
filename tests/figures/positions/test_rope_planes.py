"""Pictures of RoPE in a trained model: titles, arrays, and that they show their input."""

import json

import numpy as np
import pytest

from tlmviz.analysis.positions.rope_planes import plane_dimensions
from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.positions import rope_planes as figures

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
P = np.random.default_rng(0).random((2, 3, 4)).astype(np.float32)
WAVES = 2 * np.pi * 10.0 ** np.arange(4)
CURVES = {
    "RoPE on": (np.arange(5.0), np.ones(5)),
    "off": (np.zeros(5), np.ones(5)),
    "base 2": (np.ones(5), np.zeros(5)),
}
LAYOUTS = {"Interleaved": plane_dimensions(8, "interleaved"), "Half-split": plane_dimensions(8, "half")}
FIGURES = {
    "pairs": lambda theme: figures.pairs(LAYOUTS, theme),
    "losses": lambda theme: figures.losses(["a", "<b>", "c"], {"right": np.ones(2), "wrong": np.arange(2.0)}, theme),
    "next": lambda theme: figures.next_tokens(["<a>", "b"], {"right": np.ones(2), "wrong": np.zeros(2)}, "<i>", theme),
    "energy": lambda theme: figures.energy(P, WAVES, (1, 2), theme),
    "uses": lambda theme: figures.uses(P[0, 0], P[0, 1], WAVES, "Planes", theme),
    "distance": lambda theme: figures.by_distance(CURVES, "Scores", theme),
}


@THEMES
@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_every_figure_has_a_title_and_sends_its_numbers_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"] and "<i>" not in sent["layout"]["title"]["text"]
    for trace in sent["data"]:
        values = (
            trace["z"] if trace["type"] == "heatmap" else trace["x"] if trace.get("orientation") == "h" else trace["y"]
        )
        assert set(values) >= {"dtype", "bdata"}


def test_arcs_join_the_dimensions_of_a_plane():
    figure = FIGURES["pairs"](LIGHT)
    arcs = [trace for trace in figure.data if trace.mode == "lines"]
    ends = [[round(float(arc.x[0])), round(float(arc.x[-1]))] for arc in arcs]
    assert ends == [[0, 1], [2, 3], [4, 5], [6, 7], [0, 4], [1, 5], [2, 6], [3, 7]]
    assert arcs[0].line.color == arcs[4].line.color != arcs[1].line.color
    levels = [trace.y[0] for trace in figure.data if trace.mode == "markers"]
    assert levels[0] > max(arcs[4].y)  # the rows do not touch
    low, high = figure.layout.yaxis.range
    assert low < min(levels) and max(arcs[0].y) < high


@pytest.mark.parametrize("dim", [2, 4, 128])
def test_any_head_has_its_pairs_drawn(dim):
    layouts = {name: plane_dimensions(dim, name) for name in ("interleaved", "half")}
    assert len(figures.pairs(layouts, DARK).data) == dim + 2


def test_energy_shows_shares_and_tells_numbers():
    figure = FIGURES["energy"](LIGHT)
    [heat] = figure.data
    np.testing.assert_allclose(np.asarray(heat.z).sum(1), 1, rtol=1e-5)
    assert "L1H2, plane 3" in heat.text[5][3] and f"{P[1, 2, 3]:.4f}" in heat.text[5][3]
    frame = figure.layout.shapes[-1]
    assert (frame.y0, frame.y1) == (4.5, 5.5)


def test_measured_and_all_pairs_share_a_colour():
    figure = FIGURES["distance"](LIGHT)
    every, measured = figure.data[:2]
    assert every.line.color == measured.line.color and every.line.dash == "dot" and not every.showlegend
    np.testing.assert_array_equal(measured.y, CURVES["RoPE on"][0])
    assert [trace.name for trace in figure.data if trace.name] == list(CURVES)


@pytest.mark.parametrize("size", [0, 1])
def test_texts_of_one_and_two_tokens_are_drawn(size):
    figure = figures.losses(["a"] * (size + 1), {"right": np.ones(size), "wrong": np.ones(size)}, LIGHT)
    assert len(figure.data[0].y) == size
    assert figures.by_distance({"on": (np.ones(1), np.ones(1))}, "Scores", LIGHT).data
    assert figures.energy(np.zeros((1, 1, 1)), WAVES[:1], (0, 0), LIGHT).data[0].zmax > 0

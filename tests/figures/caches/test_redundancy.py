"""Pictures of redundancy: who is like whom, and the loss step by step."""

import json

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.caches import redundancy as figures

RNG = np.random.default_rng(0)
ALIKE = np.corrcoef(RNG.standard_normal((6, 20))).astype(np.float32)
LINE = np.array([0, -0.1, 0.4])
WORDS = ["none", "first", "second"]
FIGURES = {
    "similarity": lambda theme: figures.similarity(ALIKE, 2, [(0, 3)], "CKA", theme),
    "steps": lambda theme: figures.steps({"here": LINE, "there": LINE}, WORDS, theme, title="Steps", x="muted"),
    "effects": lambda theme: figures.effects(ALIKE[:2, :3], theme),
    "pairs": lambda theme: figures.pairs(ALIKE[0], ALIKE[1], list("abcdef"), "CKA", theme),
}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_every_figure_has_a_title_and_travels_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"] and "bdata" in sent["data"][0].get("z", sent["data"][0].get("y"))


def test_heads_are_named_by_layer_and_pairs_circled_below_the_diagonal():
    figure = figures.similarity(ALIKE, 2, [(4, 1)], "CKA", LIGHT)
    assert figure.data[0].customdata[4][1] == "heads L1H1 and L0H1"
    assert (figure.data[1].x[0], figure.data[1].y[0]) == (1, 4)
    assert {shape.x0 for shape in figure.layout.shapes} == {2.5, -0.5}  # between the layers


def test_signs_choose_the_scale_and_nan_is_left_open():
    signed, plain = (figures.similarity(ALIKE, 2, [], "r", LIGHT), figures.similarity(abs(ALIKE), 2, [], "r", LIGHT))
    assert signed.data[0].zmin == -1 and plain.data[0].zmin == 0
    lost = figures.similarity(np.full((4, 4), np.nan), 2, [], "r", DARK)
    assert lost.data[0].zmin == 0 and not lost.data[0].hoverongaps


def test_steps_say_what_each_did_and_where_it_begins_to_cost():
    figure = figures.steps(
        {"here": LINE, "there": LINE[:2]}, WORDS, LIGHT, title="Steps", x="muted", marks={1: "one costs"}
    )
    assert [list(line.customdata) for line in figure.data] == [WORDS, WORDS[:2]]
    assert figure.data[1].line.color == LIGHT.warm and figure.layout.shapes[0].x0 == 1
    assert figure.layout.annotations[0].text.strip() == "one costs"
    np.testing.assert_allclose(figure.data[0].y, LINE, rtol=1e-6)


def test_effects_have_one_scale_about_zero():
    figure = figures.effects(np.array([[-0.5, 0.1]]), LIGHT)
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-0.5, 0.5)
    assert figures.effects(np.zeros((1, 2)), LIGHT).data[0].zmax > 0

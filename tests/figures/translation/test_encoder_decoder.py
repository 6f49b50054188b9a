"""Pictures of the page "Encoder & decoder": maps with masks, the shifted target, and the flow into cross-attention."""

import json

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.translation import token_map as maps
from tlmviz.figures.translation.cross_flow import LINES, cross_flow
from tlmviz.figures.translation.shifted_target import shifted_target

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
P = np.tril(np.random.default_rng(0).random((4, 4))).astype(np.float32)
P /= P.sum(-1, keepdims=True)
TOKENS = ["<b>", " the", " cat", "\n"]
SHAPES = {"memory": (3, 16), "q": (2, 4, 8), "k": (2, 3, 8), "v": (2, 3, 8), "out": (4, 16)}
LOSSES = {"with": np.array([1.0, 2.0, 3.0, 4.0]), "without": np.zeros(4)}
FIGURES = {
    "map": lambda theme: maps.token_map(P, TOKENS, TOKENS, theme, title="Decoder", chosen=1, mask="causal"),
    "missing": lambda theme: maps.token_map(P, TOKENS, TOKENS, theme, title="Decoder", mask="missing"),
    "cross": lambda theme: maps.token_map(P[:, :3], TOKENS, TOKENS[:3], theme, title="Cross", x="source", y="target"),
    "shifted": lambda theme: shifted_target(["⟨start⟩", *TOKENS[:3]], TOKENS, LOSSES, 1, theme),
    "flow": lambda theme: cross_flow(TOKENS[:3], TOKENS, P[2, :3], 2, SHAPES, theme),
}


@THEMES
@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES)
def test_every_figure_has_a_title_and_sends_its_numbers_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"]
    assert all(set(part["z"]) >= {"dtype", "bdata"} for part in sent["data"] if part["type"] == "heatmap")
    assert "<b>" not in json.dumps(sent)


def test_forbidden_cells_have_no_weight_and_a_cross_each():
    weights, grey, crosses = FIGURES["map"](LIGHT).data
    above = np.triu(np.ones((4, 4), bool), 1)
    assert np.isnan(weights.z[above]).all() and not np.isnan(weights.z[~above]).any()
    np.testing.assert_array_equal(np.isfinite(grey.z), above)
    assert {(int(x), int(y)) for x, y in zip(crosses.x, crosses.y)} == {(c, r) for r, c in zip(*np.nonzero(above))}
    [row] = FIGURES["map"](LIGHT).layout.shapes
    assert (row.y0, row.y1) == (0.5, 1.5)
    assert np.isfinite(P).all()  # the caller's map is left alone


def test_a_missing_mask_leaves_a_staircase_where_it_was():
    weights, stairs = FIGURES["missing"](LIGHT).data
    assert not np.isnan(weights.z).any()
    corners = list(zip(stairs.x, stairs.y))
    assert corners[:3] == [(0.5, -0.5), (0.5, 0.5), (1.5, 0.5)] and corners[-1] == (3.5, 3.5)


@pytest.mark.parametrize("size", [1, 2, 27, 128])
def test_any_length_is_drawn(size):
    tokens, p = [f"t{i}" for i in range(size)], np.full((size, size), 1 / size)
    figure = maps.token_map(p, tokens, tokens, LIGHT, title="x", chosen=size - 1, mask="causal")
    assert len(figure.layout.xaxis.ticktext) <= maps.NAMED["x"] and len(figure.data) <= 3
    losses = {"with": np.ones(size)}
    assert len(shifted_target(tokens, tokens, losses, size - 1, DARK).layout.xaxis.ticktext) <= 44
    shapes = {**SHAPES, "memory": (size, 16)}
    flow = cross_flow(tokens, tokens, p[0], 0, shapes, DARK)
    assert len([part for part in flow.data if part.type == "scatter"]) == min(size, LINES)


def test_the_answer_is_read_one_position_later():
    boxes, others, own, *bars = FIGURES["shifted"](LIGHT).data
    assert [list(row) for row in boxes.text] == [
        ["⟨start⟩", "&lt;b&gt;", "the", "cat"],
        ["&lt;b&gt;", "the", "cat", "⏎"],
    ]
    np.testing.assert_array_equal(own.x[:2], [1, 2])
    assert own.y[0] < own.y[1]  # from "must predict" below up to "reads"
    assert sorted(others.x[::3].tolist()) == [0, 2]
    assert [bar.name for bar in bars] == ["with", "without"] and list(bars[0].y) == [1, 2, 3, 4]


def test_the_last_position_has_no_later_one():
    _, others, own, *_ = shifted_target(TOKENS, TOKENS, LOSSES, 3, LIGHT).data
    assert len(own.x) == 0 and sorted(others.x[::3].tolist()) == [0, 1, 2]


def test_lines_start_at_the_chosen_token_and_are_as_wide_as_its_weights():
    figure = FIGURES["flow"](LIGHT)
    lines = [part for part in figure.data if part.type == "scatter"]
    assert all(line.x[0] == np.float32(2.5 / 4) for line in lines)
    widths = {round(float(line.x[1]) * 3 - 0.5): line.line.width for line in lines}
    assert sorted(widths, key=widths.get) == list(np.argsort(P[2, :3]))
    notes = " ".join(note.text for note in figure.layout.annotations)
    assert "[3, 16]" in notes and "[2, 4, 8]" in notes and "[2, 3, 8]" in notes and "[4, 16]" in notes

"""Maps of many heads on one grid, and one head of several models: cells in their places, labels where they fit."""

import json

import numpy as np
import pytest

from tlmviz import figures
from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.caches.head_maps import beside, grid

MAPS = np.random.default_rng(0).random((2, 3, 5, 5)).astype(np.float32)
GROUPS = np.array([[0, 1, 2], [0, 0, 0]])
HOVER = [[f"model {row}, head {head}" for head in range(3)] for row in range(2)]


def drawn(theme=LIGHT, chosen=1):
    return grid(MAPS, ["<b>MHA</b>", "<b>MQA</b>"], GROUPS, HOVER, chosen, theme, title="Maps")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_cells_are_bytes_in_their_places(theme):
    figure = drawn(theme)
    cells = figure.data[0].z
    assert cells.dtype == np.uint8 and cells.shape == (16, 24)
    np.testing.assert_array_equal(cells[8:13, 16:21], np.rint(255 * np.sqrt(MAPS[1, 2])))
    assert not cells[5:8].any() and not cells[:, 5:8].any()
    assert "bdata" in json.loads(figure.to_json())["data"][0]["z"]


def test_colours_over_the_maps_say_who_shares():
    bars = [shape for shape in drawn().layout.shapes if shape.type == "line"]
    colors = [bar.line.color for bar in bars]
    assert colors == [figures.GROUPS[i] for i in (0, 1, 2, 0, 0, 0)]
    assert all(bar.x1 - bar.x0 == 5 for bar in bars)


def test_markers_answer_a_click_with_row_and_head():
    marks = drawn().data[1]
    assert [list(pair) for pair in marks.customdata] == [[r, h] for r in range(2) for h in range(3)]
    assert marks.hovertext[4] == "model 1, head 1" and (marks.x[4], marks.y[4]) == (10, 10)


def test_the_chosen_head_is_framed_over_all_rows_or_none_is():
    frame = [shape for shape in drawn().layout.shapes if shape.type == "rect"]
    assert len(frame) == 1 and frame[0].x0 < 8 and frame[0].x1 > 12 and frame[0].y1 > 12
    assert not [shape for shape in drawn(chosen=None).layout.shapes if shape.type == "rect"]


def test_values_outside_are_clipped_not_wrapped():
    wild = np.full((1, 1, 2, 2), 1.0001, np.float32)
    wild[0, 0, 0, 1] = -1e-7
    cells = grid(wild, ["x"], np.zeros((1, 1), int), [["x"]], None, LIGHT, title="Maps").data[0].z
    assert cells[0, 0] == 255 and cells[0, 1] == 0


def test_a_pooled_map_is_labelled_in_tokens():
    figure = beside([np.zeros((50, 50), np.float32)], ["zoo-rope"], ["x"] * 200, LIGHT, title="Head")
    heat = figure.data[0]
    assert (heat.x0, heat.dx) == (1.5, 4.0) and tuple(figure.layout.xaxis.range) == (-0.5, 199.5)
    assert heat.x0 + 49 * heat.dx == 197.5 and "bin about" in heat.hovertemplate


def test_models_stand_side_by_side_with_their_names():
    maps = [MAPS[0, 0], MAPS[0, 1]]
    figure = beside(maps, ["MHA, zoo-rope", "<i>mine</i>"], list("abcde"), DARK, title="Head")
    for heat, values in zip(figure.data, maps):
        np.testing.assert_array_equal(heat.z, values)
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]
    assert (
        figure.layout.annotations[1].text == "&lt;i&gt;mine&lt;/i&gt;" and figure.layout.yaxis2.showticklabels is False
    )

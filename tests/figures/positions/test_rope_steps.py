"""The rotation step by step: every matrix is there, the frames follow the slider, and the arithmetic is right."""

import re

import numpy as np
import pytest
import torch

from tlmviz.analysis.positions import rope_planes
from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.positions import rope_steps

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def drawn(length=6, dim=8, row=3, layout="interleaved", theme=LIGHT, start=0):
    x = torch.randn(length, dim, generator=torch.Generator().manual_seed(0))
    steps = rope_planes.rotation(x, 100.0, layout, start)
    tokens = [f"<b>{i}" for i in range(length)]
    return steps, rope_steps.rotation(steps, tokens, row, 100.0, theme, title="Steps")


def words(figure, plane: int) -> str:
    return figure.frames[plane].data[-1].text[0].replace("−", "-")


@THEMES
def test_every_matrix_is_drawn_in_the_order_of_the_code(theme):
    steps, figure = drawn(theme=theme)
    heats = [trace for trace in figure.data if trace.type == "heatmap"]
    matrices = [steps.angles, steps.cos, steps.sin, steps.x, steps.first, steps.second]
    matrices += [steps.new_first, steps.new_second, steps.out]
    assert len(heats) == len(matrices)
    for trace, matrix in zip(heats, matrices):
        assert trace.z.dtype == np.float32
        np.testing.assert_allclose(trace.z, matrix, rtol=1e-6)
    assert [trace.zmin for trace in heats[1:3]] == [-1, -1]
    assert (
        heats[0].colorscale[0][0] == 0
        and list(np.diff([stop for stop, _ in heats[0].colorscale]) >= 0).count(False) == 0
    )


def test_the_slider_walks_over_the_planes():
    steps, figure = drawn()
    assert len(figure.frames) == len(figure.layout.sliders[0].steps) == 4
    for plane, frame in enumerate(figure.frames):
        boxes = [np.asarray(trace.x) for trace in frame.data[:-1]]
        assert len(boxes) == 9
        for box, width in zip(boxes, (1, 1, 1, 2, 1, 1, 1, 1, 2)):
            assert (np.nanmin(box), np.nanmax(box)) == (plane * width - 0.5, plane * width + width - 0.5)
        assert figure.layout.sliders[0].steps[plane].label == f"{plane}: dimensions {2 * plane} and {2 * plane + 1}"
    first = figure.frames[figure.layout.sliders[0].active]
    assert figure.data[first.traces[-1]].text == first.data[-1].text


def test_half_split_frames_two_columns_apart():
    _, figure = drawn(layout="half")
    box = np.asarray(figure.frames[1].data[3].x)
    assert {0.5, 1.5, 4.5, 5.5} == set(box[~np.isnan(box)])
    titles = [note.text for note in figure.layout.annotations]
    assert any("first half" in title for title in titles) and any("joined" in title for title in titles)


def test_the_arithmetic_of_one_row_is_told():
    steps, figure = drawn(row=3)
    for plane in range(4):
        text = words(figure, plane)
        numbers = [float(number) for number in re.findall(r"= ([+-]\d+\.\d+)", text)]
        one, other = steps.pairs[plane]
        expected = [steps.x[3, one], steps.x[3, other], steps.out[3, one], steps.out[3, other]]
        assert numbers == pytest.approx(expected, abs=6e-5)
        assert f"angle 3 × {steps.frequency[plane]:.5g}" in text


def test_rows_far_into_a_text_keep_their_positions():
    steps, figure = drawn(start=900, row=902)
    assert "at position 902" in words(figure, 0)
    np.testing.assert_array_equal(figure.data[0].y, steps.positions)
    assert figure.layout.yaxis.range == (905.5, 899.5)


def test_tokens_cannot_inject_markup():
    _, figure = drawn()
    assert figure.layout.yaxis.ticktext[0].startswith("&lt;b&gt;")


@pytest.mark.parametrize(
    "length, row, start, stop",
    [(1, 0, 0, 1), (48, 47, 0, 48), (49, 48, 1, 49), (49, 0, 0, 48), (1000, 500, 476, 524), (1000, 999, 952, 1000)],
)
def test_the_rows_shown_hold_the_chosen_one(length, row, start, stop):
    assert rope_steps.shown_rows(length, row) == slice(start, stop)


@pytest.mark.parametrize("length, dim", [(1, 2), (1, 8), (48, 2), (48, 128)])
def test_small_and_large_heads_are_drawn(length, dim):
    _, figure = drawn(length, dim, row=0)
    assert len(figure.frames) == dim // 2 and len(figure.to_json()) < 1_000_000


def test_first_full_turns_are_marked_where_they_are_in_sight():
    _, figure = drawn(length=48)
    [dots] = [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "lines+markers"]
    np.testing.assert_allclose(dots.y, [2 * np.pi, 2 * np.pi * 100**0.25], rtol=1e-6)
    assert list(dots.x) == [0, 1]

"""Animated pictures of FlashAttention: what each frame shows, and that extreme inputs are drawn as what they are."""

import json

import numpy as np
import pytest

from tlmviz.analysis.kernels.online_softmax import LONGEST, walk_all
from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.kernels import flash_rows as flash
from tlmviz.figures.kernels import roofline

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def drawn(x, theme=LIGHT, width=3):
    x = np.asarray(x, np.float32)
    v = np.arange(len(x) * width, dtype=np.float32).reshape(len(x), width)
    walks = walk_all(x, v)
    return walks, flash.row_walks(walks, x, [f"<b>{i}" for i in range(len(x))], theme, title="Row")


def words(frame) -> list[str]:
    return list(next(trace.text for trace in frame.data if trace.text is not None))


@THEMES
def test_there_is_a_frame_and_a_step_for_every_visit(theme):
    walks, figure = drawn([1, 2, 0, 3], theme)
    [slider] = figure.layout.sliders
    total = max(walk.visits for walk in walks)
    assert len(figure.frames) == len(slider.steps) == total == 12
    assert [step.args[0][0] for step in slider.steps] == [frame.name for frame in figure.frames]
    assert all(len(frame.data) == len(frame.traces) for frame in figure.frames)
    assert slider.active == 7 and figure.layout.title.text == "Row"


def test_the_first_picture_is_the_frame_the_slider_points_at():
    _, figure = drawn([1, 2, 0, 3])
    frame = figure.frames[figure.layout.sliders[0].active]
    for index, trace in zip(frame.traces, frame.data):
        shown = figure.data[index]
        if trace.x is not None:
            assert list(shown.x) == list(trace.x)
        if trace.text is not None:
            assert tuple(shown.text) == tuple(trace.text)


def test_words_follow_the_algorithms():
    walks, figure = drawn([1, 2, 0, 3])
    first, end = words(figure.frames[0]), words(figure.frames[-1])
    assert "maximum and sum" in first[2] and "old sums × 0" in first[2] and "x[0] = 1" in first[4]
    assert all("done" in text and "off by" in text for text in end)
    done = words(figure.frames[3])
    assert "done, Eq. 87" in done[4] and "done" not in done[3]
    assert f"l_i = {walks[4].l_i[-1]:.4g}" in end[4]


@pytest.mark.parametrize(
    "x, grew",
    [([1, 2, 0, 3], [1, 3]), ([3, 2, 1], []), ([-np.inf, 2, 1], [1]), ([-np.inf] * 3, []), ([2, 2, 2], [])],
    ids=str,
)
def test_dots_mark_where_the_maximum_grew_and_nothing_else(x, grew):
    walks, figure = drawn(x)
    dots = [trace for trace in figure.data if "new maximum" in (trace.hovertemplate or "")]
    assert len(dots) == sum(walk.alpha is not None for walk in walks) == 3
    assert all(list(trace.x) == grew for trace in dots)


@pytest.mark.parametrize("x", [[1e4, 0, 1], [-np.inf] * 3, [89, 89], [5], [-1e4, -np.inf, 3e38]], ids=str)
@THEMES
def test_what_is_not_a_number_is_red_and_never_a_bar(x, theme):
    walks, figure = drawn(x, theme)
    sent = figure.to_json()
    assert "Infinity" not in sent
    assert (theme.alarm in words(figure.frames[-1])[0]) == (not walks[0].finite or walks[0].l_i[-1] == np.inf)
    assert all(theme.alarm not in text for text in words(figure.frames[-1])[1:])
    for trace in figure.data:
        if trace.type == "bar":
            assert not np.isinf(trace.y).any()


def test_tokens_cannot_inject_markup():
    _, figure = drawn([1, 2])
    bars = next(trace for trace in figure.data if trace.type == "bar")
    assert bars.customdata[0] == "&lt;b&gt;0"


def test_the_longest_row_stays_small():
    _, figure = drawn(np.sin(np.arange(LONGEST)), width=32)
    assert len(figure.to_json()) < 600_000


@THEMES
def test_costs_and_roofline_show_their_numbers(theme):
    lengths = np.array([128, 1024])
    values = {"naive": np.array([2.0, 20.0]), "tiled": np.array([1.0, 5.0])}
    figure = roofline.growth(lengths, values, 128, theme, title="Bytes", unit="byte")
    assert [list(trace.y) for trace in figure.data] == [[2, 20], [1, 5]] and figure.layout.shapes[0].x0 == 128
    figure = roofline.roofline({"naive": (10.0, 2e13), "tiled": (500.0, 1e15)}, 1e15, 2e12, "a device", theme)
    roof, naive, tiled = figure.data
    assert 500 in roof.x and max(roof.y) == 1000
    assert (naive.x[0], naive.y[0], tiled.y[0]) == (10, 20, 1000) and "data sheet" in figure.layout.title.text
    assert all(set(trace["y"]) >= {"dtype", "bdata"} for trace in json.loads(figure.to_json())["data"])


def test_it_opens_where_the_second_read_meets_the_largest_logit_and_can_do_without_symbols():
    x = np.array([1, 3, 0, 2], np.float32)
    walks = walk_all(x, np.ones((4, 3), np.float32))
    figure = flash.row_walks(walks, x, list("abcd"), LIGHT, title="Row", symbols=False)
    assert figure.layout.sliders[0].active == len(x) + 1
    opened = words(figure.frames[figure.layout.sliders[0].active])
    assert "done" in opened[-1] and not any("done" in text for text in opened[:-1])
    said = figure.to_json()
    assert not any(symbol in said for symbol in ("m_i", "l_i", "Eq.")) and "sum so far" in said

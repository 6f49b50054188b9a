"""Animated pictures of FlashAttention: what each frame shows, and that extreme inputs are drawn as what they are."""

import json

import numpy as np
import pytest

from tlmviz.analysis.kernels import kernel_source, tile_steps, tiling
from tlmviz.analysis.kernels.online_softmax import LONGEST, walk_all
from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.kernels import flash_rows as flash
from tlmviz.figures.kernels import flash_tiles, roofline

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
    assert slider.active == 3 and figure.layout.title.text == "Row"


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
    [
        ([1, 2, 0, 3], [1, 3]),
        ([3, 2, 1], []),
        ([-np.inf, 2, 1], [1]),
        ([-np.inf] * 3, []),
        ([2, 2, 2], []),
    ],
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


def tiles(length=20, rows=8, cols=4, width=32, theme=LIGHT, window=None):
    generator = np.random.default_rng(0)
    q, k, v = (generator.normal(size=(length, width)).astype(np.float32) for _ in range(3))
    done = tiling.walk(tiling.Inputs(q, k, v, width**-0.5, window), rows, cols)
    steps = tile_steps.tile_steps(done)
    figure = flash_tiles.tiles(
        done,
        np.tri(length),
        [f"<i>{i}" for i in range(length)],
        kernel_source.kernel_lines(),
        steps,
        theme,
        title="Tiles",
        naive=99_999,
        error=1e-7,
    )
    return done, steps, figure


@THEMES
def test_every_step_lights_its_lines_and_frames_its_tile(theme):
    _, steps, figure = tiles(theme=theme)
    lines = kernel_source.kernel_lines()
    assert len(figure.frames) == len(steps) == len(figure.layout.sliders[0].steps)
    for step, frame in zip(steps, figure.frames):
        grid, box, _, _, n, lit, text = frame.data
        assert (np.asarray(grid.z) == step.grid).all()
        assert (min(box.y), max(box.y), min(box.x), max(box.x)) == tuple(edge - 0.5 for edge in step.box)
        assert [bool(row[0]) for row in np.asarray(lit.z)] == [line.when in step.when for line in lines]
        assert np.array_equal(np.asarray(n.z), step.acc, equal_nan=True)
        assert f"queries {step.box[0]}–{step.box[1] - 1}" in text.text[0]
    assert (
        "1.0e-07" in figure.frames[-1].data[6].text[0] and "1.0e-07" not in figure.frames[0].data[6].text[0]
    )


def test_code_is_quoted_without_markup_and_cut_where_the_figure_ends():
    figure = tiles()[2]
    [code] = [trace for trace in figure.data if trace.type == "scatter" and len(trace.text or ()) > 1]
    for line, text in zip(kernel_source.kernel_lines(), code.text):
        number, shown = text.split("</span>")
        assert f">{line.number:3}" in number
        plain = (
            shown.replace("\u00a0", " ")[1:].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        )
        cut = plain.endswith("…") and len(plain) == flash_tiles.LETTERS and line.code.startswith(plain[:-1])
        assert cut or plain == line.code


@pytest.mark.parametrize(
    "length, rows, cols", [(1, 4, 4), (64, 4, 4), (64, 64, 4), (64, 4, 64), (64, 64, 64), (64, 32, 16)]
)
def test_every_tiling_of_the_longest_text_stays_small(length, rows, cols):
    assert len(tiles(length, rows, cols)[2].to_json()) < 1_200_000


def test_hidden_cells_of_the_map_are_not_drawn():
    figure = tiles(6, 4, 4, window=2)[2]
    assert np.isnan(np.asarray(figure.data[0].z)[0, 1]) and figure.data[0].z.dtype == np.float32


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


def test_the_words_of_a_first_tile_say_that_there_is_nothing_to_rescale():
    done, steps, _ = tiles()
    said = [" ".join(step.words) for step in steps if "Rescale" in " ".join(step.words)]
    assert len(said) == len(done.visits)
    firsts = [text for text, visit in zip(said, done.visits) if visit.tile == 0]
    assert firsts and all("here 0: first tile" in text for text in firsts)
    assert sum("first tile" in text for text in said) == len(firsts)

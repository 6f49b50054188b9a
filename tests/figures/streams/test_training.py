"""Pictures of a training: curves, tiles, and a slider whose frames show what was saved at each moment."""

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.streams import training as stream_training
from tlmviz.figures.streams.training import Curves, Matrices

COLUMNS = [column for _, columns, _ in stream_training.PANELS for column, *_ in columns]


def curves(seed=0):
    drawn = np.random.default_rng(seed)
    values = {column: np.where(drawn.random(30) < 0.5, np.nan, drawn.random(30) + 0.1) for column in COLUMNS}
    return Curves(np.arange(30) * 10.0, values)


def matrices(layers, steps=(0, 100, 200), streams=3, seed=0):
    return Matrices(
        np.array(steps), np.random.default_rng(seed).standard_normal((len(steps), 2 * layers, streams, streams))
    )


def drawn(layers=2, theme=LIGHT, **given):
    names = [f"{kind} {layer}" for layer in range(layers) for kind in ("attention", "MLP")]
    given = given or {"hyper": matrices(layers), "manifold": matrices(layers, seed=1)}
    every = {kind: curves(seed) for seed, kind in enumerate(("residual", *given))}
    return every, given, stream_training.training(every, given, names, theme, title="Training")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_measured_number_is_on_a_curve(theme):
    every, _, figure = drawn(theme=theme)
    lines = [trace for trace in figure.data if trace.type == "scatter"]
    assert len(lines) == 3 * len(COLUMNS)
    for one in every.values():
        for values in one.values.values():
            seen = values[np.isfinite(values)].astype(np.float32)
            assert any(len(line.y) == len(seen) and np.allclose(line.y, seen) for line in lines)
    assert sum(bool(line.showlegend) for line in lines) == 3
    assert figure.layout.yaxis3.type == figure.layout.yaxis4.type == "log" and figure.layout.yaxis.type == "linear"
    assert all(line.xaxis == "x" for line in lines)  # one axis of steps for all


@pytest.mark.parametrize("layers", [1, 8, 24])
def test_tiles_are_the_matrices_in_their_places(layers):
    res = matrices(layers).res[0]
    picture = stream_training.tiled(res)
    assert np.isfinite(picture).sum() == res.size and picture.shape[1] <= 12 * 4 - 1
    for layer in range(layers):
        for part in (0, 1):
            row, column = 4 * (2 * (layer // 12) + part), 4 * (layer % 12)
            np.testing.assert_allclose(picture[row : row + 3, column : column + 3], res[2 * layer + part], rtol=1e-6)


def test_the_slider_walks_the_moments_and_marks_them_on_the_curves():
    _, given, figure = drawn()
    [slider] = figure.layout.sliders
    assert [step.label for step in slider.steps] == ["0", "100", "200"] and slider.active == 2
    for number, frame in enumerate(figure.frames):
        assert frame.layout.shapes[0].x0 == frame.layout.shapes[0].x1 == 100 * number
        for index, trace, one in zip(frame.traces, frame.data, given.values(), strict=True):
            wanted = stream_training.tiled(one.res[number])
            np.testing.assert_array_equal(np.array(trace.z), wanted)
            if number == slider.active:
                np.testing.assert_array_equal(np.array(figure.data[index].z), wanted)
    assert figure.layout.shapes[0].x0 == 200


def test_models_saved_at_other_steps_show_what_they_had_by_then():
    _, given, figure = drawn(hyper=matrices(2, (0, 50)), manifold=matrices(2, (0, 100)))
    assert [step.label for step in figure.layout.sliders[0].steps] == ["0", "50", "100"]
    at_fifty = figure.frames[1].data
    np.testing.assert_array_equal(np.array(at_fifty[0].z), stream_training.tiled(given["hyper"].res[1]))
    np.testing.assert_array_equal(np.array(at_fifty[1].z), stream_training.tiled(given["manifold"].res[0]))


def test_hover_says_which_sublayer_and_streams():
    figure = drawn()[2]
    tiles = next(trace for trace in figure.data if trace.type == "heatmap")
    assert tiles.customdata[4][5] == "MLP 1, to stream 0 from stream 1" and tiles.customdata[3][0] == ""


def test_curves_alone_need_no_slider():
    every = {"residual": curves()}
    figure = stream_training.training(every, {}, [], LIGHT, title="Training")
    assert not figure.frames and not figure.layout.sliders and len(figure.data) == len(COLUMNS)


def test_many_moments_of_a_deep_model_stay_small():
    many = {kind: matrices(24, range(28), 4) for kind in ("hyper", "manifold")}
    assert len(drawn(24, **many)[2].to_json()) < 700_000

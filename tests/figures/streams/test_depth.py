"""Pictures of depth: triangles whose colours are logarithmic and whose numbers are gains, lines, passes, simulated
stacks."""

import json

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.streams import depth as stream_depth
from tlmviz.figures.streams import passes as stream_passes

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
NAMES = [f"{kind} {layer}" for layer in range(3) for kind in ("attention", "MLP")]


def products(frames=4, streams=3, spread=2.0, seed=0):
    drawn, count = np.random.default_rng(seed), len(NAMES)
    gain = np.exp(spread * drawn.standard_normal((frames, count, count)))
    gain[:, np.tril_indices(count, -1)[0], np.tril_indices(count, -1)[1]] = np.nan
    lines = drawn.standard_normal((3, frames, count))
    return stream_depth.Products(gain, np.abs(drawn.standard_normal((frames, count, streams))), *lines)


def drawn(theme=LIGHT, frames=4, at=1, **panels):
    panels = panels or {
        "residual": products(frames, 1, 0.0),
        "hyper": products(frames),
        "manifold": products(frames, seed=1),
    }
    labels = [f"{number} “a”" for number in range(frames)]
    return panels, stream_depth.products(panels, NAMES, labels, at, theme, title="Forward gain", what="forward")


@THEMES
def test_a_triangle_a_kind_with_its_numbers_and_names(theme):
    panels, figure = drawn(theme)
    maps = [trace for trace in figure.data if trace.type == "heatmap"]
    for shown, panel in zip(maps, panels.values(), strict=True):
        np.testing.assert_allclose(np.array(shown.z), panel.gain[1].astype(np.float32))
        assert list(shown.x) == list(shown.y) == NAMES and "forward gain" in shown.hovertemplate
        assert (shown.zmin, shown.zmax) == (maps[0].zmin, maps[0].zmax)
    titles = [note.text for note in figure.layout.annotations]
    assert all(any(name in title for title in titles) for name in ("Residual", ">HC<", ">mHC<"))
    texts = [trace.text[0] for trace in figure.data if trace.text is not None]
    assert f"×{stream_depth.short(panels['hyper'].gain[1, 0, -1])}" in texts[1]


@THEMES
@pytest.mark.parametrize("limit", [np.log10(2), 3.0, 12.0])
def test_colours_are_even_in_the_logarithm_and_one_is_the_page(limit, theme):
    stops, low, high = stream_depth.log_scale(limit, theme)
    places = np.array([place for place, _ in stops])
    assert places[0] == 0 and places[-1] == 1 and (np.diff(places) > 0).all()
    gains = low + places * (high - low)
    np.testing.assert_allclose(np.log10(gains[8:]), np.linspace(-limit, limit, len(stops))[8:], atol=1e-3)
    assert (low, high) == pytest.approx((10**-limit, 10**limit))
    middle = theme.diverging[4]
    assert stops[len(stops) // 2][1] == "rgb({},{},{})".format(*(int(middle[i : i + 2], 16) for i in (1, 3, 5)))


def test_noise_around_one_looks_like_one_and_no_scale_passes_its_decades():
    _, quiet = drawn(manifold=products(spread=1e-4))
    assert quiet.data[0].zmax == pytest.approx(2)
    _, loud = drawn(hyper=products(spread=40))
    assert loud.data[0].zmax == pytest.approx(1e12)


def test_every_frame_moves_every_line_of_models_with_streams_and_nothing_of_one_stream():
    panels, figure = drawn()
    assert len(figure.frames) == 4 and figure.layout.sliders[0].active == 1
    residual = [index for index, trace in enumerate(figure.data) if trace.xaxis in ("x1", "x2", "x3")]
    for number, frame in enumerate(figure.frames):
        assert len(frame.data) == len(frame.traces) and not set(frame.traces) & set(residual)
        found = dict(zip(frame.traces, frame.data))
        maps = [trace for trace in found.values() if trace.type == "heatmap"]
        np.testing.assert_allclose(np.array(maps[1].z), panels["manifold"].gain[number].astype(np.float32))
        for index, trace in found.items():
            assert trace.type == figure.data[index].type
            if number == 1 and trace.y is not None:
                np.testing.assert_array_equal(trace.y, figure.data[index].y)
    assert [step.args[0][0] for step in figure.layout.sliders[0].steps] == ["0", "1", "2", "3"]


def test_one_frame_needs_no_slider():
    _, figure = drawn(frames=1, at=0)
    assert not figure.layout.sliders and not figure.frames


def test_numbers_travel_as_binary():
    for trace in json.loads(drawn()[1].to_json())["data"]:
        if trace["type"] == "heatmap":
            assert "bdata" in trace["z"]
        elif trace["mode"] == "lines":
            assert "bdata" in trace["y"]


@THEMES
def test_norms_are_lines_on_a_logarithmic_axis(theme):
    lines = {"hyper": np.array([1.0, 10, 100]), "manifold": np.array([1.0, 1, 1])}
    figure = stream_passes.norms(lines, ["before all", "a", "b"], theme, title="Signal", unit="RMS")
    assert figure.layout.yaxis.type == "log" and [trace.name for trace in figure.data] == ["HC", "mHC"]
    assert list(figure.data[0].y) == [1, 10, 100] and figure.data[0].line.color != figure.data[1].line.color


@THEMES
@pytest.mark.parametrize("size", [0.0, 0.01, 3.0, 250.0])
def test_quantiles_are_a_band_around_a_median(size, theme):
    band = np.outer([-1, 0, 1], np.linspace(0, size, 9))
    figure = stream_passes.quantiles({"hyper": band, "manifold": band * 0}, 4, theme, title="Simulated forward gain")
    low, high, middle = figure.data[:3]
    np.testing.assert_allclose([low.y, middle.y, high.y], band, rtol=1e-6)
    assert high.fill == "tonexty" and middle.name == "HC" and figure.layout.shapes[0].x0 == 4
    assert len(figure.layout.yaxis.tickvals) == len(set(figure.layout.yaxis.ticktext))
    assert max(figure.layout.yaxis.tickvals) >= size * 0.8 and "Simulated" in figure.layout.title.text


def test_the_small_panels_keep_their_axes_and_no_frame_leaves_them():
    _, figure = drawn()
    checked = 0
    for frame in figure.frames:
        for number, state in zip(frame.traces, frame.data):
            trace = figure.data[number]
            if state.type != "scatter" or state.y is None:
                continue
            axis = figure.layout["yaxis" + trace.yaxis[1:]]
            values = np.asarray(state.y, np.float64)
            low, high = axis.range
            shown = np.log10(values) if axis.type == "log" else values
            assert low < shown.min() and shown.max() < high
            checked += 1
    assert checked >= 4 * 2 * 6

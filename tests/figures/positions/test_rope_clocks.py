"""The clocks: what each frame shows, and that few and many planes are drawn."""

import json

import numpy as np
import pytest
import torch

from tlmviz.analysis.positions import rope_planes
from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.positions import rope_clocks

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
HANDS = {
    "positive": 0,
    "negative": 1,
    "key": 2,
    "query": 3,
    "labels": 4,
    "hover": 5,
    "bars": 6,
    "sum": 7,
    "dot": 8,
}


def drawn(dim=16, moves="query", theme=LIGHT, where=(9, 4), scale=1.0, **options):
    q, k = (scale * torch.randn(dim, generator=torch.Generator().manual_seed(seed)) for seed in (1, 2))
    shown = rope_planes.clocks(q, k, where, 10000.0, moves=moves, **options)
    return shown, rope_clocks.clocks(shown, theme, title="Pair", moves=moves)


def polygons(trace) -> list[np.ndarray]:
    """The pieces of a broken line, [N, 2] each."""
    points = np.stack((trace.x, trace.y), 1)
    breaks = np.flatnonzero(np.isnan(points[:, 0]))
    return [part[~np.isnan(part[:, 0])] for part in np.split(points, breaks + 1) if len(part)]


@THEMES
@pytest.mark.parametrize("moves", rope_planes.MOVES)
def test_a_frame_and_a_step_for_every_position(theme, moves):
    shown, figure = drawn(moves=moves, theme=theme)
    [slider] = figure.layout.sliders
    assert len(figure.frames) == len(slider.steps) == len(shown.positions)
    assert all(len(frame.data) == len(frame.traces) == len(HANDS) for frame in figure.frames)
    assert slider.active == shown.home and figure.layout.title.text == "Pair"
    for step, (query, key) in zip(slider.steps, shown.positions):
        assert f"query at {query}, key at {key}" in step.label
        assert ("hides" in step.label) == (key > query)


def test_bars_and_labels_are_the_parts_and_their_sum():
    shown, figure = drawn()
    for frame, parts, score in zip(figure.frames, shown.parts, shown.scores):
        np.testing.assert_allclose(frame.data[HANDS["bars"]].x, [*parts, score], atol=1e-6)
        assert list(frame.data[HANDS["bars"]].marker.color) == [*np.where(parts > 0, 1, -1), 2]
        assert frame.data[HANDS["dot"]].y[0] == pytest.approx(score)
        assert f"{abs(score):.3f}" in frame.data[HANDS["sum"]].text[0]
        for label, part in zip(frame.data[HANDS["labels"]].text, parts):
            assert f"{part:+.2f}".replace("-", "−") in label
    curve = next(trace for trace in figure.data if trace.xaxis == "x3" and trace.mode == "lines")
    np.testing.assert_allclose(curve.y, shown.scores, atol=1e-6)
    assert list(curve.x) == list(shown.positions[:, 0])


def test_hands_point_where_the_vectors_do():
    shown, figure = drawn()
    centres = polygons(figure.data[0])  # the rims
    for step in (0, shown.home, len(shown.positions) - 1):
        for name, vectors in (("query", shown.q[step]), ("key", shown.k[step])):
            arms = polygons(figure.frames[step].data[HANDS[name]])
            longest = np.linalg.norm(vectors, axis=1).max()
            for arm, vector, rim in zip(arms, vectors, centres):
                np.testing.assert_allclose(arm[0], rim[:-1].mean(0), atol=1e-4)
                np.testing.assert_allclose(
                    (arm[1] - arm[0]) / rope_clocks.RADIUS, vector / longest, atol=1e-4
                )


def test_wedges_are_blue_for_what_adds_and_orange_for_what_takes_away():
    shown, figure = drawn()
    for step in range(0, len(shown.positions), 7):
        for name, sign in (("positive", 1), ("negative", -1)):
            sizes = [np.ptp(part, axis=0).max() for part in polygons(figure.frames[step].data[HANDS[name]])]
            assert [size > 1e-6 for size in sizes] == list(np.sign(shown.parts[step]) == sign)


def test_moving_both_turns_hands_and_leaves_bars():
    shown, figure = drawn(moves="both")
    first, last = figure.frames[0].data, figure.frames[-1].data
    assert np.nanmax(np.abs(np.asarray(first[HANDS["query"]].x) - last[HANDS["query"]].x)) > 0.05
    np.testing.assert_allclose(first[HANDS["bars"]].x, last[HANDS["bars"]].x, atol=1e-5)
    low, high = figure.layout.yaxis3.range
    assert high - low > 100 * np.ptp(shown.scores)  # rounding does not look like change


def test_the_first_picture_is_the_frame_the_slider_points_at():
    shown, figure = drawn()
    frame = figure.frames[shown.home]
    for index, trace in zip(frame.traces, frame.data):
        if trace.text is not None:
            assert tuple(figure.data[index].text) == tuple(trace.text)
        if trace.x is not None:
            np.testing.assert_array_equal(figure.data[index].x, trace.x)


@pytest.mark.parametrize("dim", [2, 4, 16, 32, 64, 128, 256])
def test_any_head_fits_the_room_and_stays_small(dim):
    _, figure = drawn(dim)
    columns = rope_clocks.columns_for(dim // 2)
    assert columns * -(-(dim // 2) // columns) >= dim // 2
    assert len(figure.to_json()) < 1_400_000
    x, y = (np.concatenate([part[:, axis] for part in polygons(figure.data[0])]) for axis in (0, 1))
    assert figure.layout.xaxis.range[0] < x.min() and x.max() < figure.layout.xaxis.range[1]
    assert figure.layout.yaxis.range[0] < y.min() and y.max() < figure.layout.yaxis.range[1]


def test_the_default_models_clocks_travel_as_arrays():
    sent = json.loads(drawn(32)[1].to_json())
    for data in sent["frames"][0]["data"]:
        if "x" in data and len(sent["frames"]) > 1 and data["type"] == "bar":
            assert set(data["x"]) >= {"dtype", "bdata"}
    assert len(json.dumps(sent)) < 700_000


def test_vectors_of_zero_are_drawn():
    _, figure = drawn(scale=0.0)
    assert "NaN" not in figure.to_json() and figure.layout.xaxis2.range[0] < figure.layout.xaxis2.range[1]

"""Streams through depth, losses with one muted: the numbers given are the numbers drawn."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.streams import mixing as figures

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
TOKENS = ["<|endoftext|>", " a", " <b>", "\n"]


def parts(layers: int) -> list[str]:
    return ["embedding", *(f"{kind} {layer}" for layer in range(layers) for kind in ("attention", "MLP"))]


def walk(streams: int = 3, layers: int = 2, span: float = 0.2):
    drawn, t, p = np.random.default_rng(0), len(TOKENS), 2 * layers
    shapes = dict(pre=(p, t, streams), share=(p, t, streams), post=(p, t, streams), added=(p, t, streams))
    values = {name: drawn.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    values["added"] = np.abs(values["added"])
    norms = np.exp(span * drawn.normal(size=(p + 1, t, streams))).astype(np.float32)
    cosines = drawn.uniform(-1, 1, (p + 1, t, streams * (streams - 1) // 2)).astype(np.float32)
    pairs = [(a, b) for a in range(streams) for b in range(a + 1, streams)]
    return SimpleNamespace(norms=norms, cosines=cosines, **values), pairs


@THEMES
@pytest.mark.parametrize("streams", [1, 3])
def test_every_frame_holds_one_tokens_numbers(theme, streams):
    given, pairs = walk(streams)
    figure = figures.through_depth(given, pairs, parts(2), TOKENS, 2, theme, offset=7)
    for token, data in [(2, figure.data), *((i, frame.data) for i, frame in enumerate(figure.frames))]:
        lines = [trace.y for trace in data if trace.type == "scatter"]
        np.testing.assert_array_equal(
            np.array(lines), np.concatenate([given.norms[:, token].T, given.cosines[:, token].T])
        )
        tables = [trace.z for trace in data if trace.type == "heatmap"]
        for table, name in zip(tables, ("pre", "share", "post", "added"), strict=True):
            np.testing.assert_array_equal(np.array(table), getattr(given, name)[:, token].T)
    assert [step.label for step in figure.layout.sliders[0].steps][:2] == ["7 · ⟨start⟩", "8 · a"]
    notes = " ".join(note.text for note in figure.layout.annotations)
    assert ("no pairs" in notes) == (streams == 1) and "H_pre" in notes and "H_post" in notes
    assert {"dtype", "bdata"} <= set(json.loads(figure.to_json())["frames"][0]["data"][0]["y"])


def test_axes_hold_every_token_and_weights_are_centred_on_zero():
    given, pairs = walk()
    figure = figures.through_depth(given, pairs, parts(2), TOKENS, 0, LIGHT)
    low, high = figure.layout.yaxis.range
    assert low == 0 and high > given.norms.max() and figure.layout.yaxis.type is None
    least, most = figure.layout.yaxis2.range
    assert least < given.cosines.min() and 1 < most < 1.2
    signed = [trace for trace in figure.data if trace.type == "heatmap"][:3]
    assert all(trace.zmin == -trace.zmax for trace in signed) and signed[0].zmax == pytest.approx(
        np.abs(given.pre).max()
    )
    given, pairs = walk(span=6.0)
    figure = figures.through_depth(given, pairs, parts(2), TOKENS, 0, LIGHT)
    low, high = figure.layout.yaxis.range
    assert figure.layout.yaxis.type == "log" and 10**high > given.norms.max()


def test_frames_take_about_what_is_said():
    given, pairs = walk(4, 24)
    figure = figures.through_depth(given, pairs, parts(24), TOKENS, 0, LIGHT)
    size = len(json.dumps(json.loads(figure.to_json())["frames"])) / len(TOKENS)
    assert 0.5 < size / figures.depth_bytes(49, 4) < 1.6


def test_one_token_needs_no_slider():
    given, pairs = walk()
    one = SimpleNamespace(**{name: value[:, :1] for name, value in vars(given).items()})
    assert not figures.through_depth(one, pairs, parts(2), TOKENS[:1], 0, LIGHT).frames


@THEMES
def test_losses_before_and_after(theme):
    before, after = np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.0, 9.0])
    figure = figures.losses(TOKENS, before, after, theme, what="stream 2 muted")
    assert list(figure.data[0].y) == [1, 2, 3] and list(figure.data[1].y) == [1.5, 2, 9]
    assert figure.data[1].name == "stream 2 muted" and "nats" in figure.layout.title.text
    assert list(figure.data[0].customdata) == ["a", "&lt;b&gt;", "⏎"]


@THEMES
def test_the_map_of_all_mutings_frames_the_chosen_one(theme):
    change = np.array([[0.5, -0.2, 0.1, 0.0, 0.0], [-1.0, 0.2, 0.0, 0.0, 0.0]])
    figure = figures.muted_map(change, (1, 3), parts(2), theme)
    np.testing.assert_allclose(np.array(figure.data[0].z), change, rtol=1e-6)
    assert figure.data[0].zmax == 1 == -figure.data[0].zmin
    frame = figure.layout.shapes[0]
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (2.5, 3.5, 0.5, 1.5)

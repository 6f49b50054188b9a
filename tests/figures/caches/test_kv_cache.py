"""Pictures of caches: what each step shows and when, and that odd numbers are drawn."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from tests import tiny
from tlmviz.analysis.caches import decode_steps
from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.caches import kv_cache, kv_costs

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
VARIANTS = {
    "MHA": {},
    "MLA": dict(latent_dim=12, rope_dim=4),
    "window": dict(window=9),
    "windows": dict(layers=({"window": 9}, {})),
}


@pytest.fixture(scope="module", params=VARIANTS)
def done(request, tokenizer):
    lm = tiny.language_model(tokenizer, **VARIANTS[request.param])
    runs = (decode_steps.decode(lm, lm.encode(tiny.TEXT), 12, 1, 2, seed=seed) for seed in range(20))
    return next(run for run in runs if run.steps == 12)


def drawn(done, theme=LIGHT) -> go.Figure:
    return kv_cache.steps(
        done, [(10**6 + step, 10**8) for step in range(done.steps + 1)], theme, title="Steps"
    )


def part(frame, axis: str, kind: str = "heatmap"):
    """The moving trace of one kind on an x axis of a frame; its axis stands in the first picture."""
    figure, frame = frame
    return next(
        data for number, data in zip(frame.traces, frame.data)
        if figure.data[number].type == kind and (figure.data[number].xaxis or "x") == axis
    )  # fmt: skip


@THEMES
def test_a_frame_for_the_prompt_and_for_every_token(done, theme):
    figure = drawn(done, theme)
    [slider] = figure.layout.sliders
    assert len(figure.frames) == len(slider.steps) == done.steps + 1
    assert all(len(frame.data) == len(frame.traces) for frame in figure.frames)
    assert slider.active == 1 and slider.steps[1].label == "1 of 12"
    assert len(figure.to_json()) < 1_500_000


def test_map_keys_memory_and_words_move_together(done):
    figure = drawn(done)
    for step, frame in enumerate(figure.frames):
        now = done.prompt + step
        rows, box = part((figure, frame), "x"), part((figure, frame), "x", "scatter")
        shown = np.asarray(rows.z)
        keys = np.asarray(part((figure, frame), "x3").z)
        memory = np.asarray(part((figure, frame), "x5").z)
        words = part((figure, frame), "x6", "scatter").text[0]
        held = sum(min(now, window or now) for window in done.windows)
        assert (
            f"<b>{int(done.occupied_bytes[step]):,} B</b> used of {int(done.reserved_bytes[step]):,} B"
            in words
        )
        rooms = [done.capacity(step, layer) for layer in range(done.layers)]
        assert memory.shape[0] == done.layers and memory.shape[1] >= max(rooms)
        assert ((memory == 2) | (memory == 3)).sum() == held
        assert (memory > 0).sum(1).tolist() == rooms
        if step:
            np.testing.assert_array_equal(shown, done.weights[done.prompt : now])
            np.testing.assert_array_equal(keys, done.k[done.prompt : now].T)
            slot = (now - 1) % done.window if done.window else now - 1
            assert list(np.flatnonzero(memory[done.layer] == 3)) == [slot]
            assert box.x[1] == now - 0.5 and "New row" in words
            times = 10**8 * step / (10**6 * step + step * (step + 1) / 2)
            assert (f"Tokens 1 to {step} together: {times:.3g} times as many" in words) == (step > 1)
        else:
            assert np.isnan(shown).all() and "The prompt" in words and box.x[0] is None


def test_earlier_rows_never_change(done):
    figure = drawn(done)
    before = np.asarray(part((figure, figure.frames[6]), "x").z)
    after = np.asarray(part((figure, figure.frames[-1]), "x").z)
    np.testing.assert_array_equal(after[:6], before)


def test_only_the_newest_query_is_there(done):
    figure = drawn(done)
    for step in (1, 7, 12):
        q = part((figure, figure.frames[step]), "x2")
        np.testing.assert_array_equal(np.asarray(q.z), done.q[done.prompt + step - 1][None])
        assert q.y0 == done.prompt + step - 1


def test_latent_attention_has_no_values_and_a_ring_says_what_it_overwrites(done):
    figure = drawn(done)
    axes = {trace.xaxis for trace in figure.data}
    assert ("x4" in axes) == (done.latent is None)
    text = part((figure, figure.frames[-1]), "x6", "scatter").text[0]
    slot = (len(done.ids) - 1) % done.window if done.window else None
    assert (f"slot {slot} overwritten" in text) == bool(done.window)


def test_the_first_picture_is_the_frame_the_slider_points_at(done):
    figure = drawn(done)
    frame = figure.frames[figure.layout.sliders[0].active]
    for number, data in zip(frame.traces, frame.data):
        for name in ("x", "z", "text"):
            if name in data and data[name] is not None:
                np.testing.assert_array_equal(np.asarray(figure.data[number][name]), np.asarray(data[name]))


def test_buttons_lead_one_step_back_and_one_on(done):
    figure = drawn(done)
    for number, frame in enumerate(figure.frames):
        back, on = frame.layout.updatemenus[0].buttons[2:]
        assert back.args[0][0] == str(max(number - 1, 0)) and on.args[0][0] == str(
            min(number + 1, done.steps)
        )
    assert figure.layout.updatemenus[0].buttons[3].args[0][0] == "2"


def test_long_texts_show_their_last_positions():
    length, steps = 400, 48
    weights = np.where(np.tri(length, dtype=bool), 0.1, np.nan).astype(np.float32)
    vectors = np.random.default_rng(0).normal(size=(length, 32)).astype(np.float32)
    used = 1536 * 6 * np.arange(length - steps, length + 1)
    done = decode_steps.Decoding(
        length - steps, list(range(length)), ["<b>&\n"] * length, weights, vectors, vectors, vectors, np.ones(steps),
        used, np.full(steps + 1, 1536 * 6 * 800), 1536, (None,) * 6, 0, None, None,
    )  # fmt: skip
    figure = drawn(done)
    first = length - kv_cache.LONGEST
    assert figure.data[0].x0 == figure.data[0].y0 == first and list(figure.layout.xaxis.range) == [
        first - 0.5,
        length - 0.5,
    ]
    assert len(figure.to_json()) < 1_500_000
    memory = np.asarray(part((figure, figure.frames[-1]), "x5").z)
    assert memory.shape == (6, 160) and list(memory[0, 78:82]) == [2, 3, 1, 1]  # five positions in a cell
    text = part((figure, figure.frames[3]), "x6", "scatter").text[0]
    assert "&lt;b&gt;&amp;⏎" in text
    [query] = [trace for trace in figure.frames[-1].data if trace.dy]
    assert query.dy <= kv_cache.LONGEST / 20  # one row, drawn thick enough to be seen


X = np.array([1, 2, 4, 8])
COSTS = {
    "milliseconds": lambda theme: kv_costs.milliseconds(
        {"with": (X, X / 2), "without": (X[:2], X[:2])}, 3, theme
    ),
    "operations": lambda theme: kv_costs.operations(X, {"with": X * 1e6, "without": X * 1e8}, 4, theme),
    "token bytes": lambda theme: kv_costs.token_bytes(
        ["a", "b"], {"keys": np.array([2, 0]), "c_KV": np.array([0, 3])}, np.array([2.0, 3.0]), 64, theme
    ),
    "growth": lambda theme: kv_costs.growth(X, {"a": X * 1e3}, {"a": (X[1:], X[1:] * 1e3)}, theme),
    "per request": lambda theme: kv_costs.per_request(
        ["a", "b"],
        ["MHA", "GQA, window 4"],
        np.array([1e6, 2e9]),
        np.array([True, False]),
        1,
        theme,
        title="Requests",
    ),
    "memory": lambda theme: kv_costs.memory(X, X * 1e9, 5e9, 12e9, 4, theme, title="Memory"),
}


@THEMES
@pytest.mark.parametrize("make", COSTS.values(), ids=COSTS)
def test_every_figure_has_a_title_and_sends_its_numbers_as_binary(make, theme):
    sent = json.loads(make(theme).to_json())
    assert sent["layout"]["title"]["text"]
    for trace in sent["data"]:
        assert "bdata" in trace["x"] and "bdata" in trace["y"]


def test_a_hiccup_is_a_dot_and_not_in_the_line():
    x, y = np.arange(20), np.ones(20)
    y[7] = 50.0
    dots, line = kv_costs.milliseconds({"with": (x, y)}, 1, LIGHT).data
    assert max(dots.y) == 50 and max(line.y) == 1


def test_memory_is_drawn_in_a_fitting_unit_and_its_limit_only_when_near():
    near, far = (kv_costs.memory(X, X * 1e3, None, limit, 4, LIGHT, title="M") for limit in (12e3, 1e9))
    assert len(near.layout.shapes) == 2 and len(near.layout.annotations) == 1
    assert len(far.layout.shapes) == 1 and not far.layout.annotations
    assert near.layout.yaxis.title.text == "kB" and near.layout.title.text == "M (kB)"
    assert list(near.data[1].y) == [1, 2, 4, 8]


@pytest.mark.parametrize("values", [np.array([5.0, 5.0]), np.array([0.5, 1e15])], ids=str)
def test_equal_and_far_apart_requests_are_drawn(values):
    kind = ["MHA"] * 2
    low, high = kv_costs.per_request(
        ["a", "b"], kind, values, values > 1, 0, DARK, title="x"
    ).layout.xaxis.range
    assert low < np.log10(values.min()) and high > np.log10(values.max())

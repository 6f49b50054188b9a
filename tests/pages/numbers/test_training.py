"""The page Training, run as Streamlit runs it; what the browser makes of what it is sent is tested in tests/javascript."""

import base64

import numpy as np
import pytest
import torch

import tlmviz
from pages.numbers.training.dynamic.state import SCALED
from tests.pages.helpers import (
    assert_healthy,
    badges,
    by_title,
    header_of,
    open_page,
    picture,
    run_snippet,
    sent,
    words,
)
from tlmviz.analysis.numbers import dropout, half_runs, loss_scaling, master_weights, norm_depth, warmup
from tlmviz.analysis.numbers.formats import find
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "numbers/training"
DYNAMIC, MASTER, WARMUP, DROPOUT = "Dynamic scaling", "Master weights", "Warm-up", "Dropout"
STORIES, TEXT = "A batch of stories", "My text"


def heights(trace: dict) -> list[float]:
    """What a trace shows: arrays travel as bytes."""
    return np.frombuffer(base64.b64decode(trace["y"]["bdata"]), trace["y"]["dtype"]).tolist()


def test_it_opens_on_a_batch_of_stories():
    app = open_page(PAGE)
    header, arrays = picture(app)
    lm = tlmviz.load("stories-rope")
    found = loss_scaling.gradients(lm, loss_scaling.batch(lm, None), loss_scaling.ACTIVATIONS)
    assert header["state"] == {"format": "fp16", "k": 0, "part": ""}
    assert [part["name"] for part in header["parts"]] == list(found)
    assert header["rows"] == [*map(str, range(6)), "outside"] and "attn.q" in header["names"]
    cells = {(part["row"], part["column"]): part["name"] for part in header["parts"]}
    assert header["outside"] == ["embed", "normed", "logits"] == [cells[6, column] for column in range(3)]
    assert all(
        cells[row, column] == f"blocks.{row}.{name}"
        for row in range(6)
        for column, name in enumerate(header["names"])
    )
    total = sum(each.numel() for each in found.values())
    low, high = (arrays[name].astype(np.int64).sum() for name in ("low", "high"))
    assert low + 65536 * high + sum(part["zeros"] + part["broken"] for part in header["parts"]) == total
    assert len(sent(app)) < 1_500_000 and "red-badge" not in words(app)
    assert any("error of the gradient in FP16" in title for title in by_title(app))


def test_the_user_s_text_and_the_snippet():
    app = open_page(PAGE, {"lsbatch": TEXT, "lskind": "weights", "lsk": "3", "lsfmt": "e5m2"})
    header, _ = picture(app)
    assert (
        header["state"] == {"format": "e5m2", "k": 3, "part": ""}
        and "gradients by weights" in header["title"]
    )
    lm = tlmviz.load("stories-rope")
    x = torch.cat(
        [g.flatten() for g in loss_scaling.gradients(lm, loss_scaling.batch(lm, DEFAULT_TEXT)).values()]
    )
    expected = loss_scaling.one_by_one(x, find("e5m2"), 3)
    assert run_snippet(app)["shares"].lost == pytest.approx(expected.lost, abs=1e-6)


@pytest.mark.parametrize("run", SCALED)
def test_every_logged_run(run):
    app = open_page(PAGE, {"lsview": DYNAMIC, "lsrun": run})
    assert_healthy(app)
    mine = half_runs.read().query("run == @run")
    skipped = int((mine["kept"] == 1).sum())
    assert any(f"{skipped} of 200 steps skipped" in title for title in by_title(app))
    rows = app.dataframe[0].value.set_index("Run")
    name = half_runs.RUNS[run].name
    assert rows.loc[name, "Skipped"] == skipped
    assert rows.loc[name, "Loss"] == pytest.approx(mine["loss"].tail(10).mean())
    assert run_snippet(app)["skipped"] == skipped


def test_master_weights():
    app = open_page(PAGE, {"lsview": MASTER, "lsbatch": TEXT})
    assert_healthy(app)
    titles = by_title(app)
    assert {
        "w = 0.1, 200 updates of 1.0·10⁻⁴",
        "stories-rope: weights a step leaves as they are",
    } <= titles.keys()
    assert "exactly where it is in BF16:" in words(app) and "red-badge" not in words(app)
    scope = run_snippet(app)
    assert scope["paths"]["BF16"][-1] == master_weights.added(0.1, 1e-4, 200)["BF16"][-1]
    assert 0.5 < scope[
        "share"
    ] < 1 and f"leaves {scope['share']:.0%} of stories-rope's weights as they are in BF16" in words(app)


@pytest.mark.parametrize(
    "weight, update, said",
    [
        ("", "1e-4", "is no number"),
        ("nan", "1", "is no number that FP32 holds"),
        ("1e400", "1", "is no number that FP32 holds"),
        ("0.1", "<b>", "is no number"),
        ("0.1", "1" * 300, "is no number"),
        ("-0", "0x7f", None),
        ("3e38", "3e38", None),
        ("1e-45", "-1e-45", None),
    ],
)
def test_any_numbers(weight, update, said):
    app = open_page(PAGE, {"lsview": MASTER, "lsw": weight, "lsu": update, "lsbatch": TEXT})
    assert not app.exception
    assert said is None or any(said in each.value and "Shown is " in each.value for each in app.warning)
    assert any("200 updates of" in title for title in by_title(app))


@pytest.mark.parametrize(
    "link",
    [
        {"lsk": "1e9", "lsfmt": "fp12", "lspart": "<script>"},
        {"lsk": "-17", "lspart": "x" * 500},
        {"lsview": "[]", "lsbatch": "?", "lskind": "gradients"},
        {"lsview": DYNAMIC, "lsrun": "none"},
    ],
)
def test_hostile_links(link):
    assert_healthy(open_page(PAGE, link))


@pytest.mark.parametrize("text", ["", "a", "🙂", "Tom ran."])
def test_texts(text):
    app = open_page(PAGE, {"lsbatch": TEXT}, text=text)
    assert not app.exception


@pytest.mark.parametrize("model", ["zoo-mla", "stories-mhc", "stories-gpt", "stories-moe"])
@pytest.mark.parametrize("kind", loss_scaling.KINDS)
def test_other_models(model, kind):
    app = open_page(PAGE, {"model": model, "lskind": kind, "lsbatch": STORIES})
    assert header_of(app)["parts"] and len(sent(app)) < 1_500_000


def test_without_the_file_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(half_runs, "checkpoint_folder", lambda name: tmp_path)
    import streamlit as st

    st.cache_data.clear()
    app = open_page(PAGE, {"lsview": DYNAMIC})
    assert "has no half.csv" in app.error[0].value and not app.exception
    st.cache_data.clear()


class TestWarmup:
    def test_four_runs_and_two_networks(self):
        app = open_page(PAGE, {"lsview": WARMUP})
        shown = by_title(app)
        losses = shown["Logged: first steps at a rate of 0.001, the loss"]["data"]
        runs = [run for run in warmup.read() if run.peak == 0.001]
        assert [heights(trace)[-1] for trace in losses] == pytest.approx(
            [run.loss[-10:].mean() for run in runs], rel=1e-5
        )
        after = shown["Logged: gradient by the weights after step 100"]["data"]
        assert heights(after[3]) == pytest.approx(list(runs[3].weights[5]), rel=1e-5)
        own = shown["Gradient by the weights of this text's loss, trained"]["data"]
        for trace, name in zip(own, ("zoo-rope", "zoo-post")):
            lm = tlmviz.load(name)
            wanted = norm_depth.flow(lm.network, lm.encode(DEFAULT_TEXT))
            assert heights(trace) == pytest.approx(list(wanted.weights), rel=1e-4)
        assert "red-badge" not in badges(app)

    def test_before_training_by_the_stream(self):
        query = {
            "lsview": WARMUP,
            "nodwhen": "before training",
            "nodlay": "16",
            "nodof": "by the stream",
            "nodstep": "0",
        }
        app = open_page(PAGE, query)
        own = by_title(app)["Gradient by the stream of this text's loss, before training, 16 layers"]["data"]
        assert len(heights(own[0])) == 33

    def test_the_snippet(self):
        scope = run_snippet(open_page(PAGE, {"lsview": WARMUP, "nodrate": "0.002"}))
        assert [run.placement for run in scope["runs"]] == ["pre", "pre", "post", "post"] and scope[
            "found"
        ].loss > 0

    @pytest.mark.parametrize("text", ["", "a", "word " * 3000])
    def test_texts(self, text):
        app = open_page(PAGE, {"lsview": WARMUP}, text=text)
        assert not app.exception

    def test_a_hostile_link(self):
        query = {
            "lsview": WARMUP,
            "nodrate": "9",
            "nodstep": "1e400",
            "nodof": "[]",
            "nodlay": "-1",
            "nodwhen": "x",
        }
        assert_healthy(open_page(PAGE, query))


class TestDropout:
    def test_the_activation_and_the_losses(self):
        app = open_page(PAGE, {"lsview": DROPOUT})
        header, arrays = picture(app)
        lm = tlmviz.load("stories-rope")
        wanted = lm.trace(DEFAULT_TEXT, keep=lambda name: True)["blocks.5.mlp.out"].numpy()
        np.testing.assert_allclose(arrays["x"], wanted.reshape(28, 192), atol=1e-5)
        assert header["state"] == {"p": 10, "seed": 0, "masks": 20, "raw": False, "evaluating": False}
        [chart] = [chart for title, chart in by_title(app).items() if "10% dropped" in title]
        found = dropout.losses(lm, lm.encode(DEFAULT_TEXT), 0.1, 64)
        assert sum(heights(chart["data"][0])) == 64
        assert f"{found.plain:.3f} without" in words(app) and f"{found.masked.mean():.3f}" in words(app)
        assert "red-badge" not in badges(app)

    def test_the_snippet(self):
        scope = run_snippet(open_page(PAGE, {"lsview": DROPOUT, "ndrop": "30"}))
        assert scope["losses"].masked.mean() > scope["losses"].plain and scope["error"] < 0.2

    @pytest.mark.parametrize("model", ["stories-gpt", "stories-mhc", "zoo-mla", "stories-moe"])
    def test_other_models(self, model):
        assert_healthy(open_page(PAGE, {"lsview": DROPOUT, "model": model}))

    @pytest.mark.parametrize("text", ["", "a", "🙂"])
    def test_texts(self, text):
        assert not open_page(PAGE, {"lsview": DROPOUT}, text=text).exception

    def test_a_hostile_link(self):
        query = {
            "lsview": DROPOUT,
            "ndrop": "100",
            "ndmasks": "0",
            "ndseed": "-1",
            "ndraw": "[]",
            "ndplace": "x.y",
        }
        header, _ = picture(open_page(PAGE, query))
        assert header["state"] == {"p": 90, "seed": 0, "masks": 1, "raw": False, "evaluating": False}

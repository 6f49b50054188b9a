"""The page Training, run as Streamlit runs it; what the browser makes of what it is sent is tested in
tests/javascript."""

import base64
import contextlib

import numpy as np
import pytest
import torch

import tlmviz
from pages.numbers.training.dropout import data as dropout_data
from pages.numbers.training.dropout import view as dropout_view
from pages.numbers.training.dropout.state import Dropout
from pages.numbers.training.dynamic import data as dynamic_data
from pages.numbers.training.dynamic import view as dynamic_view
from pages.numbers.training.dynamic.state import SCALED, Dynamic
from pages.numbers.training.gradients import data as gradients_data
from pages.numbers.training.gradients import view as gradients_view
from pages.numbers.training.gradients.state import Gradients
from pages.numbers.training.master import data as master_data
from pages.numbers.training.master import view as master_view
from pages.numbers.training.master.state import Master
from pages.numbers.training.warmup import data as warmup_data
from pages.numbers.training.warmup import view as warmup_view
from pages.numbers.training.warmup.state import Warmup
from tests.packed import unpacked
from tests.pages.helpers import (
    anew,
    assert_healthy,
    badges,
    by_title,
    charted,
    drawn,
    green,
    open_page,
    picture,
    run_code,
    run_snippet,
    sent,
    words,
)
from tlmviz.analysis.numbers import dropout, half_runs, loss_scaling, master_weights, norm_depth, warmup
from tlmviz.analysis.numbers.formats import find
from tlmviz.errors import BadCheckpoint, BadText
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "numbers/training"
START = {"model": "stories-rope", "text": DEFAULT_TEXT}
DYNAMIC, MASTER, WARMUP, DROPOUT = "Dynamic scaling", "Master weights", "Warm-up", "Dropout"
TEXT = "My text"


def heights(trace: dict) -> list[float]:
    """What a trace shows: arrays travel as bytes."""
    return np.frombuffer(base64.b64decode(trace["y"]["bdata"]), trace["y"]["dtype"]).tolist()


def gradients(**given) -> gradients_data.Data:
    """What the part Gradients shows of a state."""
    return gradients_data.Data(Gradients(**START | {"text": None} | given))


def dropped(**given) -> dropout_data.Data:
    """What the part Dropout shows of a state."""
    return dropout_data.Data(Dropout(**START | given))


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
        cells[row, column] == f"blocks.{row}.{name}" for row in range(6) for column, name in enumerate(header["names"])
    )
    total = sum(each.numel() for each in found.values())
    low, high = (arrays[name].astype(np.int64).sum() for name in ("low", "high"))
    assert low + 65536 * high + sum(part["zeros"] + part["broken"] for part in header["parts"]) == total
    assert len(sent(app)) < 1_500_000 and "red-badge" not in words(app)
    assert any("error of the gradient in FP16" in title for title in by_title(app))


def test_the_user_s_text_and_the_snippet():
    lm = tlmviz.load("stories-rope")
    found = gradients(text=DEFAULT_TEXT, kind=loss_scaling.WEIGHTS, k=3, format="e5m2")
    assert "gradients by weights" in unpacked(drawn(gradients_view.picture, found))[0]["title"]
    x = torch.cat([g.flatten() for g in loss_scaling.gradients(lm, loss_scaling.batch(lm, DEFAULT_TEXT)).values()])
    expected = loss_scaling.one_by_one(x, find("e5m2"), 3)
    shares = run_code(gradients_view.snippet(found))["shares"]
    assert shares.lost == pytest.approx(expected.lost, abs=1e-6)


def test_every_logged_run_is_in_the_table():
    app = open_page(PAGE, {"lsview": DYNAMIC})
    rows = app.dataframe[0].value.set_index("Run")
    assert list(rows.index) == [half_runs.RUNS[run].name for run in SCALED]
    for run in SCALED:
        mine = half_runs.read().query("run == @run")
        skipped = int((mine["kept"] == 1).sum())
        name, shown = half_runs.RUNS[run].name, dynamic_data.Data(Dynamic(run=run))
        assert any(f"{skipped} of 200 steps skipped" in title for title in charted(dynamic_view.picture, shown))
        assert rows.loc[name, "Skipped"] == skipped
        assert rows.loc[name, "Loss"] == pytest.approx(mine["loss"].tail(10).mean())
        assert run_code(dynamic_view.snippet(shown))["skipped"] == skipped


def test_master_weights():
    app = open_page(PAGE, {"lsview": MASTER, "lsbatch": TEXT})
    assert_healthy(app)
    titles = by_title(app)
    assert {"w = 0.1, 200 updates of 1.0·10⁻⁴", "stories-rope: weights a step leaves as they are"} <= titles.keys()
    assert "exactly where it is in BF16:" in words(app) and "red-badge" not in words(app)
    scope = run_snippet(app)
    assert scope["paths"]["BF16"][-1] == master_weights.added(0.1, 1e-4, 200)["BF16"][-1]
    assert 0.5 < scope[
        "share"
    ] < 1 and f"leaves {scope['share']:.0%} of stories-rope's weights as they are in BF16" in words(app)


@pytest.mark.parametrize(
    "weight, update, refused",
    [
        ("", "1e-4", {"": 0.1}),
        ("nan", "1", {"nan": 0.1}),
        ("1e400", "1", {"1e400": 0.1}),
        ("0.1", "<b>", {"<b>": 1e-4}),
        ("0.1", "1" * 60, {"1" * 60: 1e-4}),
        ("-0", "0x7f", {}),  # bits
        ("3e38", "3e38", {}),
        ("1e-45", "-1e-45", {}),
    ],
)
def test_any_numbers(weight, update, refused):
    shown = master_data.Data(Master(model="stories-rope", text=DEFAULT_TEXT, weight=weight, update=update))
    assert shown.refused == refused
    assert any("200 updates of" in title for title in charted(master_view.picture, shown))


def test_what_is_no_number_is_one_sentence():
    app = open_page(PAGE, {"lsview": MASTER, "lsw": "nan"})
    [said] = [each.value for each in app.warning]
    assert said.startswith("“nan” is no number that FP32 holds") and said.endswith("Shown is 0.1.")


@pytest.mark.parametrize("text", ["a", "🙂", "Tom ran."])
def test_texts(text):
    found = gradients(text=text)
    assert drawn(gradients_view.picture, found)
    with contextlib.suppress(BadText):
        assert charted(gradients_view.in_half, found)


@pytest.mark.parametrize("model", ["zoo-mla", "stories-mhc", "stories-gpt", "stories-moe"])
@pytest.mark.parametrize("kind", loss_scaling.KINDS)
def test_other_models(model, kind):
    sent = drawn(gradients_view.picture, gradients(model=model, kind=kind))
    assert unpacked(sent)[0]["parts"] and len(sent) < 1_500_000


def test_without_the_file_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(half_runs, "checkpoint_folder", lambda name: tmp_path)
    with anew(), pytest.raises(BadCheckpoint, match=r"has no half\.csv"):
        dynamic_data.Data(Dynamic()).log  # noqa: B018


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
        query = {"lsview": WARMUP, "nodwhen": "before training", "nodlay": "16", "nodof": "by the stream"}
        app = open_page(PAGE, query | {"nodstep": "0"})
        own = by_title(app)["Gradient by the stream of this text's loss, before training, 16 layers"]["data"]
        assert len(heights(own[0])) == 33

    def test_the_snippet(self):
        shown = warmup_data.Data(Warmup(rate="0.002", text=DEFAULT_TEXT))
        scope = run_code(warmup_view.snippet(shown))
        assert [run.placement for run in scope["runs"]] == ["pre", "pre", "post", "post"] and scope["found"].loss > 0

    @pytest.mark.parametrize("text", ["a", "word " * 3000])
    def test_texts(self, text):
        shown = warmup_data.Data(Warmup(text=text))
        with contextlib.suppress(BadText):
            assert shown.flows and green(shown.checks)


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
        scope = run_code(dropout_view.snippet(dropped(p=30)))
        assert scope["losses"].masked.mean() > scope["losses"].plain and scope["error"] < 0.2

    @pytest.mark.parametrize("model", ["stories-gpt", "stories-mhc", "zoo-mla", "stories-moe"])
    def test_other_models(self, model):
        _is_whole(dropped(model=model))

    @pytest.mark.parametrize("text", ["a", "🙂"])
    def test_texts(self, text):
        with contextlib.suppress(BadText):
            _is_whole(dropped(text=text))

    def test_a_link_beyond_the_ends(self):
        assert Dropout.p.parse("100") == 90 and Dropout.masks.parse("0") == 1


def _is_whole(shown) -> None:
    """All that the part draws of an activation."""
    assert drawn(dropout_view.picture, shown) and charted(dropout_view.losses, shown) and green(shown.checks)

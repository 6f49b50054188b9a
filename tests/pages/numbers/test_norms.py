"""The page Norms and dropout, run as Streamlit runs it; what the browser makes of it is tested in tests/javascript."""

import base64
import json

import numpy as np
import pytest

import tlmviz
from tests.pages.helpers import assert_healthy, badges, by_title, open_page, run_snippet, words
from tlmviz.analysis.numbers import dropout, norm_depth, norm_pictures, norms, warmup
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "numbers/norms"


def sent(app) -> tuple[dict, dict]:
    """Header and arrays of the live picture."""
    assert_healthy(app)
    [data] = [part.proto.bytes for part in app.get("bidi_component") if part.proto.bytes]
    size = int(np.frombuffer(data[:4], "<u4")[0])
    header = json.loads(data[4 : 4 + size])
    types = {"uint8": np.uint8, "uint16": np.uint16, "float32": np.float32}
    arrays = {}
    for name, entry in header["arrays"].items():
        start = 4 + size + entry["offset"]
        raw = np.frombuffer(data, types[entry["dtype"]], int(np.prod(entry["shape"])), start)
        arrays[name] = raw.reshape(entry["shape"])
    return header, arrays


def heights(trace: dict) -> list[float]:
    """What a trace shows: arrays travel as bytes."""
    return np.frombuffer(base64.b64decode(trace["y"]["bdata"]), trace["y"]["dtype"]).tolist()


class TestNorms:
    def test_it_opens_on_the_last_norm_of_the_default_text(self):
        app = open_page(PAGE)
        header, arrays = sent(app)
        found = norms.collect(tlmviz.load("stories-rope"), DEFAULT_TEXT, "norm")
        np.testing.assert_allclose(arrays["x"], found.x, atol=1e-5)
        assert header["state"]["norm"] == "layer" and header["state"]["action"] == "itemtimes"
        channel = header["state"]["channel"]
        assert channel == np.abs(found.x).mean(0).argmax()
        assert list(arrays["unit"]) == list(found.row) and len(header["tokens"]) == len(found.x)
        assert "red-badge" not in badges(app) and "The mean that RMSNorm leaves" in words(app)

    def test_the_mean_in_numbers(self):
        app = open_page(PAGE)
        [chart] = [chart for title, chart in by_title(app).items() if "W y" in title]
        lm = tlmviz.load("stories-rope")
        found = norms.offset(norms.collect(lm, DEFAULT_TEXT, "norm").out, *norms.reader(lm, "norm"))
        dropped, fixed, _ = chart["data"]
        assert dropped["x"][-1] == "final" and len(dropped["x"]) == 13
        assert f"{norms.centred_loss(lm, lm.encode(DEFAULT_TEXT))[1]:.4f}" in words(app)
        assert found.fixed <= found.dropped < 0.1

    def test_the_snippet_measures_what_the_table_does(self):
        change = run_snippet(open_page(PAGE))["change"]
        assert change["layer_norm"] < 1e-4 > change["rms_norm"] and change["batch_norm"] > 0.5

    @pytest.mark.parametrize("model", ["stories-gpt", "zoo-post", "stories-mhc", "stories-moe", "zoo-mla"])
    def test_other_models(self, model):
        app = open_page(PAGE, {"model": model})
        assert_healthy(app)
        assert "red-badge" not in badges(app)

    @pytest.mark.parametrize(
        "text", ["", "a", "🙂🙂", "...", "word " * 3000, "a. b. c. d. e. f. g. h. i. j. k."]
    )
    def test_texts(self, text):
        app = open_page(PAGE, text=text)
        assert not app.exception

    @pytest.mark.parametrize(
        "query",
        [
            {
                "noview": "Nothing",
                "nbnorm": "x",
                "nbact": "[]",
                "nbitem": "-1",
                "nbchan": "1e400",
                "nbseen": "99999999999",
            },
            {"nbplace": "../..", "nbitem": "9999", "nbchan": "99999", "nbfrom": "99999", "nbslip": "yes"},
            {"noview": "Convolution", "npmany": "0", "npseed": "nan", "npnorm": "rms", "npitem": "77"},
        ],
    )
    def test_hostile_links(self, query):
        header, _ = sent(open_page(PAGE, query))
        state = header["state"]
        assert state["seen"] <= 60 and 1 <= state["count"] <= 8 and state["action"] == "itemtimes"


class TestConvolution:
    def test_digits_and_their_maps(self):
        app = open_page(PAGE, {"noview": "Convolution", "npseed": "5"})
        header, arrays = sent(app)
        images, labels = norm_pictures.shown()
        np.testing.assert_allclose(arrays["images"], images)
        np.testing.assert_allclose(arrays["x"], norm_pictures.responses(images))
        assert header["labels"] == labels and header["state"]["seed"] == 5 and header["filters"][3] == "blur"
        assert "red-badge" not in badges(app)

    def test_the_snippet_is_torchs(self):
        assert run_snippet(open_page(PAGE, {"noview": "Convolution"}))["difference"] < 1e-9


class TestDepth:
    def test_four_runs_and_two_networks(self):
        app = open_page(PAGE, {"noview": "Depth"})
        shown = by_title(app)
        losses = shown["First steps at a rate of 0.001: the loss"]["data"]
        runs = [run for run in warmup.read() if run.peak == 0.001]
        assert [heights(trace)[-1] for trace in losses] == pytest.approx(
            [run.loss[-10:].mean() for run in runs], rel=1e-5
        )
        after = shown["Gradient by the weights after step 100"]["data"]
        assert heights(after[3]) == pytest.approx(list(runs[3].weights[5]), rel=1e-5)
        own = shown["Gradient by the weights of this text's loss, trained"]["data"]
        for trace, name in zip(own, ("zoo-rope", "zoo-post")):
            lm = tlmviz.load(name)
            wanted = norm_depth.flow(lm.network, lm.encode(DEFAULT_TEXT))
            assert heights(trace) == pytest.approx(list(wanted.weights), rel=1e-4)
        assert "red-badge" not in badges(app)

    def test_before_training_by_the_stream(self):
        query = {
            "noview": "Depth",
            "nodwhen": "before training",
            "nodlay": "16",
            "nodof": "by the stream",
            "nodstep": "0",
        }
        app = open_page(PAGE, query)
        own = by_title(app)["Gradient by the stream of this text's loss, before training, 16 layers"]["data"]
        assert len(heights(own[0])) == 33

    def test_the_snippet(self):
        scope = run_snippet(open_page(PAGE, {"noview": "Depth", "nodrate": "0.002"}))
        assert [run.placement for run in scope["runs"]] == ["pre", "pre", "post", "post"] and scope[
            "found"
        ].loss > 0

    @pytest.mark.parametrize("text", ["", "a", "word " * 3000])
    def test_texts(self, text):
        app = open_page(PAGE, {"noview": "Depth"}, text=text)
        assert not app.exception

    def test_a_hostile_link(self):
        query = {
            "noview": "Depth",
            "nodrate": "9",
            "nodstep": "1e400",
            "nodof": "[]",
            "nodlay": "-1",
            "nodwhen": "x",
        }
        assert_healthy(open_page(PAGE, query))


class TestDropout:
    def test_the_activation_and_the_losses(self):
        app = open_page(PAGE, {"noview": "Dropout"})
        header, arrays = sent(app)
        lm = tlmviz.load("stories-rope")
        wanted = lm.trace(DEFAULT_TEXT, keep=lambda name: True)["blocks.5.mlp.out"].numpy()
        np.testing.assert_allclose(arrays["x"], wanted.reshape(28, 192), atol=1e-5)
        assert header["state"] == {"p": 10, "seed": 0, "masks": 20, "raw": False, "evaluating": False}
        [chart] = [chart for title, chart in by_title(app).items() if "10% dropped" in title]
        found = dropout.losses(lm, lm.encode(DEFAULT_TEXT), 0.1, 64)
        assert sum(heights(chart["data"][0])) == 64
        assert f"without dropout {found.plain:.3f}" in words(app) and f"{found.masked.mean():.3f}" in words(
            app
        )
        assert "red-badge" not in badges(app)

    def test_the_snippet(self):
        scope = run_snippet(open_page(PAGE, {"noview": "Dropout", "ndrop": "30"}))
        assert scope["losses"].masked.mean() > scope["losses"].plain and scope["error"] < 0.2

    @pytest.mark.parametrize("model", ["stories-gpt", "stories-mhc", "zoo-mla", "stories-moe"])
    def test_other_models(self, model):
        assert_healthy(open_page(PAGE, {"noview": "Dropout", "model": model}))

    @pytest.mark.parametrize("text", ["", "a", "🙂"])
    def test_texts(self, text):
        assert not open_page(PAGE, {"noview": "Dropout"}, text=text).exception

    def test_a_hostile_link(self):
        query = {
            "noview": "Dropout",
            "ndrop": "100",
            "ndmasks": "0",
            "ndseed": "-1",
            "ndraw": "[]",
            "ndplace": "x.y",
        }
        header, _ = sent(open_page(PAGE, query))
        assert header["state"] == {"p": 90, "seed": 0, "masks": 1, "raw": False, "evaluating": False}

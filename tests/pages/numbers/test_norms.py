"""The parts Norms and Convolution of the page Norms; what the browser makes of them is tested in tests/javascript."""

import contextlib

import numpy as np
import pytest

import tlmviz
from pages.numbers.norms.batch import data, view
from pages.numbers.norms.batch.state import Maps, Tokens
from tests.packed import unpacked
from tests.pages.helpers import badges, by_title, charted, drawn, green, open_page, picture, run_code, words
from tests.pages.states import linked
from tlmviz.analysis.numbers import norm_pictures, norms
from tlmviz.errors import BadText
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "numbers/norms"


def batch(query=None, model="stories-rope", text=DEFAULT_TEXT) -> data.Data:
    """A batch of a model's activations, by a link."""
    return data.of_text(linked(Tokens, query or {}, model=model, text=text))


class TestNorms:
    def test_it_opens_on_the_last_norm_of_the_default_text(self):
        app = open_page(PAGE)
        header, arrays = picture(app)
        found = norms.collect(tlmviz.load("stories-rope"), DEFAULT_TEXT, "norm")
        np.testing.assert_allclose(arrays["x"], found.x, atol=1e-5)
        assert header["state"]["norm"] == "layer" and header["state"]["action"] == "nothing"
        channel = header["open"]["channel"]
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
        change = run_code(view.snippet(batch()))["change"]
        assert change["layer_norm"] < 1e-4 > change["rms_norm"] and change["batch_norm"] > 0.5

    @pytest.mark.parametrize("model", ["stories-gpt", "zoo-post", "stories-mhc", "stories-moe", "zoo-mla"])
    def test_other_models(self, model):
        _is_whole(batch(model=model))

    @pytest.mark.parametrize("text", ["a", "🙂🙂", "...", "word " * 500, "a. b. c. d. e. f. g. h. i. j. k."])
    def test_texts(self, text):
        with contextlib.suppress(BadText):
            _is_whole(batch(text=text))

    @pytest.mark.parametrize(
        "query",
        [
            {"nbnorm": "x", "nbact": "[]", "nbitem": "-1", "nbchan": "1e400", "nbseen": "99999999999"},
            {"nbplace": "../..", "nbitem": "9999", "nbchan": "99999", "nbfrom": "99999", "nbslip": "yes"},
        ],
    )
    def test_hostile_links(self, query):
        state = unpacked(drawn(view.picture, batch(query)))[0]["state"]
        assert state["seen"] <= 60 and state["action"] == "nothing"


class TestConvolution:
    def test_digits_and_their_maps(self):
        app = open_page(PAGE, {"noview": "Convolution", "npseed": "5"})
        header, arrays = picture(app)
        images, labels = norm_pictures.shown()
        np.testing.assert_allclose(arrays["images"], images)
        np.testing.assert_allclose(arrays["x"], norm_pictures.responses(images))
        assert header["labels"] == labels and header["state"]["seed"] == 5 and header["filters"][3] == "blur"
        assert "red-badge" not in badges(app)

    def test_the_snippet_is_torchs(self):
        assert run_code(view.snippet_of_maps(data.of_digits(Maps())))["difference"] < 1e-9

    def test_a_hostile_link(self):
        query = {"npmany": "0", "npseed": "nan", "npnorm": "rms", "npitem": "77"}
        state = unpacked(drawn(view.maps, data.of_digits(linked(Maps, query))))[0]["state"]
        assert state["seen"] <= 60 and 1 <= state["count"] <= 8 and state["action"] == "nothing"


def _is_whole(shown: data.Data) -> None:
    """All that the part draws of a batch."""
    assert drawn(view.picture, shown) and green(shown.reading.checks)
    assert bool(charted(view.beneath, shown)) == bool(shown.reading.offsets)

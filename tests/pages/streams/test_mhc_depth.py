"""The view "Depth" of the page mHC: every model and control, long and odd texts, families that lack a member."""

from functools import partial

import numpy as np
import pytest

from pages.streams.mhc.data import Data
from pages.streams.mhc.depth import view
from pages.streams.mhc.depth.data import RUNS
from pages.streams.mhc.state import AVERAGE, BACKWARD, FORWARD, LARGEST, ONE
from tests import tiny
from tests.pages.helpers import by_title, charts, only_models, open_alone, open_page, run_snippet, title_of, words
from tlmviz.checkpoints import registry
from tlmviz.figures.streams.depth import short
from tlmviz.ui import compute as shared

PAGE = "streams/mhc"
KINDS = {
    "a-residual": {},
    "a-hc": dict(connection="hyper", streams=4),
    "a-mhc": dict(connection="manifold", streams=4),
    "deep-hc": dict(connection="hyper", streams=2, n_layers=5),
    "deep-mhc": dict(connection="manifold", streams=2, n_layers=5),
}
opened = partial(open_alone, PAGE, sview="Depth")


@pytest.fixture(scope="module")
def models(tokenizer, tmp_path_factory):
    """Tiny random families in place of the bundled one."""
    networks = {name: tiny.network(**changes, vocab_size=tokenizer.vocab_size) for name, changes in KINDS.items()}
    with only_models(networks, tokenizer, tmp_path_factory.mktemp("models")) as folder:
        yield folder


def maps(chart: dict) -> int:
    return sum(trace["type"] == "heatmap" for trace in chart["data"])


@pytest.mark.parametrize("name", registry.stream_models())
def test_every_bundled_model_opens_beside_its_relatives(name):
    shown = charts(open_page(PAGE, sview="Depth", smodel=name, _link_text="Lily had a ball."))
    assert len(shown) == 5 and maps(shown[0]) == len(Data.family(name)) and len(shown[0]["frames"]) > 3


def test_the_first_picture_of_a_deep_model_is_walked_in_the_browser():
    picture = charts(open_page(PAGE, sview="Depth", smodel="stories-deep-mhc"))[0]
    assert len(picture["frames"]) > 20


@pytest.mark.parametrize("over", (ONE, AVERAGE, LARGEST))
@pytest.mark.parametrize("way", (FORWARD, BACKWARD))
def test_every_choice_is_drawn_and_its_snippet_gives_its_numbers(models, over, way, capsys):
    app = opened(smodel="a-mhc", _link_text=tiny.TEXT, spof=over, spway=way)
    picture = charts(app)[0]
    assert title_of(picture).startswith(f"{way.title()} gain") and maps(picture) == 3
    assert ("sliders" in picture["layout"]) == (over == ONE)
    scope = run_snippet(app)
    shown = [trace["text"][0] for trace in picture["data"] if "text" in trace]
    assert f"×{short(scope['gain'][0, -1])}" in shown[-1] and len(capsys.readouterr().out.splitlines()) > 6
    assert scope["forward"].shape == (RUNS, 2 * app.slider(key="spdeep").value)


def test_a_pair_without_a_plain_model_says_so(models):
    app = opened(smodel="deep-hc", _link_text=tiny.TEXT)
    assert maps(charts(app)[0]) == 2
    assert "No model of this size with plain residuals is here; deep-hc, deep-mhc can be shown." in words(app)
    assert "No model" not in words(opened(smodel="a-hc", _link_text=tiny.TEXT))


def test_a_plain_model_is_honestly_trivial_beside_its_relatives(models):
    app = opened(smodel="a-residual", _link_text=tiny.TEXT)
    picture = charts(app)[0]
    assert "×1.000" in next(trace["text"][0] for trace in picture["data"] if "text" in trace)
    assert maps(picture) == 3 and "Plain residuals have it everywhere" in words(app)


def test_the_token_of_the_other_views_is_the_one_shown_first(models):
    app = opened(query={"stok": "3", "ssub": "1"}, smodel="a-mhc", _link_text=tiny.TEXT)
    assert charts(app)[0]["layout"]["sliders"][0]["active"] == 3
    beyond = opened(query={"stok": "3000"}, smodel="a-mhc", _link_text=tiny.TEXT)
    picture = charts(beyond)[0]
    assert picture["layout"]["sliders"][0]["active"] == len(picture["frames"]) - 1


def test_long_texts_are_walked_by_the_server_one_token_at_a_time(models, monkeypatch):
    monkeypatch.setattr(view, "BUDGET", 1000)
    app = opened(smodel="a-mhc", _link_text=tiny.TEXT)
    assert "sliders" not in charts(app)[0]["layout"]
    app.slider(key="sptok").set_value(2).run()
    assert "token 2 · " in title_of(charts(app)[0])
    assert app.session_state["_link_stok"] == 2 and "depth.forward[2]" in app.code[-1].value
    app.text_input(key="text").set_value("a").run()  # fewer tokens than the slider was set to
    assert "token 1 · " in title_of(charts(app)[0])


def test_a_text_that_fills_the_context_is_drawn(models):
    charts(opened(smodel="deep-mhc", _link_text="Lily had a red ball. " * 60))


@pytest.mark.parametrize("text", ["a", "😀 🐈‍⬛", "<b>x</b> $x$ `y`", "  \n "], ids=repr)
def test_odd_texts(models, text):
    app = opened(smodel="a-mhc", _link_text=text)
    assert len(charts(app)) == 5 and "nan" not in words(app)


def test_an_empty_text_is_one_sentence(models):
    app = opened(smodel="a-mhc", _link_text="")
    assert not app.exception and "empty" in app.info[0].value


@pytest.mark.parametrize("layers", [64, 256])
def test_simulations_say_that_they_are_and_follow_their_seed(models, layers):
    app = opened(smodel="a-mhc", _link_text=tiny.TEXT, spdeep=layers)
    assert "A simulation, not a trained network" in words(app)
    before = by_title(app)["Simulated forward gain"]
    app.number_input(key="spseed").set_value(7).run()
    after = by_title(app)["Simulated forward gain"]
    lines = [chart["data"][2 + 3]["y"] for chart in (before, after)]  # the median of the second kind, HC
    assert lines[0] != lines[1] and len(before["data"]) == 9
    app.number_input(key="spseed").set_value(0).run()
    assert by_title(app)["Simulated forward gain"]["data"][5]["y"] == lines[0]


def test_passes_are_drawn_for_all_with_their_losses(models):
    app = opened(smodel="a-mhc", _link_text=tiny.TEXT)
    shown = by_title(app)
    for title in ("Signal: RMS of the streams", "Gradient of the loss by the streams: norm"):
        assert [line["name"] for line in shown[title]["data"]] == ["Residual", "HC", "mHC"]
        assert len(shown[title]["data"][0]["x"]) == 1 + 2 * 2
    loss = shared.trace("a-mhc", tiny.TEXT).loss_per_token().mean().item()
    assert f"mHC {loss:.3f}" in words(app) and np.isfinite(loss)

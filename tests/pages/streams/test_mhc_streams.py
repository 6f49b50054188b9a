"""The view "Streams" of the page mHC: every part, every kind of connection, odd and long texts, links."""

import base64
from functools import partial

import numpy as np
import pytest

import tlmviz
from pages.streams.mhc.state import MUTE, SUM
from pages.streams.mhc.state import THROUGH as DEPTH
from pages.streams.mhc.streams import data as streams_data
from tests import tiny
from tests.pages.helpers import (
    SHOWN,
    assert_healthy,
    badges,
    charts,
    link_of,
    only_models,
    open_alone,
    open_page,
    run_snippet,
    title_of,
    words,
)
from tlmviz.analysis.streams import unrolled as stream_unrolled
from tlmviz.analysis.streams import vectors as stream_vectors
from tlmviz.checkpoints import registry

PAGE = "streams/mhc"
PARTS = DEPTH, SUM, MUTE
KINDS = {
    "a-residual": {},
    "a-hc": dict(connection="hyper", streams=3),
    "a-mhc": dict(connection="manifold", streams=3),
    "deep-hc": dict(connection="hyper", streams=2, n_layers=5),
    "deep-mhc": dict(connection="manifold", streams=2, n_layers=5),
}
opened = partial(open_alone, PAGE, sview="Streams", _link_text=tiny.TEXT)


@pytest.fixture(scope="module")
def models(tokenizer, tmp_path_factory):
    """Tiny random families in place of the bundled ones."""
    networks = {name: tiny.network(**changes, vocab_size=tokenizer.vocab_size) for name, changes in KINDS.items()}
    with only_models(networks, tokenizer, tmp_path_factory.mktemp("models")) as folder:
        yield folder


def numbers(trace) -> np.ndarray:
    sent = trace["y"]
    return np.frombuffer(base64.b64decode(sent["bdata"]), np.float32)


@pytest.mark.parametrize("name", registry.stream_models())
def test_every_bundled_model_is_drawn_token_by_token(name):
    [picture] = charts(open_page(PAGE, sview="Streams", smodel=name))
    assert title_of(picture) == "Streams of one token through depth" and len(picture["frames"]) > 20


def test_the_way_to_another_model_is_walked():
    app = open_page(PAGE, sview="Streams", smodel="stories-residual", _link_text=tiny.TEXT)
    app.button("sxother").click().run()
    [picture] = charts(app)
    assert app.session_state["smodel"] == "stories-mhc" == app.selectbox("_smodel").value
    assert sum(trace["type"] == "scatter" for trace in picture["data"]) == 4 + 6


# The tests above open the bundled models; from here on tiny ones stand in for them.


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", ["a-residual", "a-hc", "a-mhc", "deep-mhc"])
def test_every_part_of_every_kind_has_pictures_badges_and_a_snippet_that_runs(models, name, part, capsys):
    app = opened(smodel=name, sxpart=part)
    shown = charts(app)
    assert (
        len(shown) == (1 if part == DEPTH else 2)
        and app.latex
        and "section 5" in words(app) + " section 5" * (part == MUTE)
    )
    assert "badge[" in badges(app) and ("Unrolled sum" in badges(app)) == (name != "a-residual")
    scope = run_snippet(app)
    assert len(scope[SHOWN]) == 1 and scope[SHOWN][0].layout.title.text == title_of(shown[0])
    assert capsys.readouterr().out


def test_the_picture_through_depth_is_the_models_streams(models):
    app = opened(smodel="a-mhc", _link_stok=2)
    [picture] = charts(app)
    trace = tlmviz.load("a-mhc").trace(tiny.TEXT)
    walk = stream_vectors.journey(trace)
    assert picture["layout"]["sliders"][0]["active"] == 2 and len(picture["frames"]) == len(trace)
    np.testing.assert_allclose(numbers(picture["data"][1]), walk.norms[:, 2, 1], rtol=1e-5)
    np.testing.assert_allclose(numbers(picture["frames"][5]["data"][0]), walk.norms[:, 5, 0], rtol=1e-5)


def test_a_token_of_the_menu_is_shared_and_drawn(models):
    app = opened(smodel="a-hc")
    last = len(charts(app)[0]["frames"]) - 1
    assert app.selectbox("_sxtok").value == last
    app.selectbox("_sxtok").select(1).run()
    assert charts(app)[0]["layout"]["sliders"][0]["active"] == 1
    assert app.session_state["_link_stok"] == 1 and link_of(app)["stok"] == "1"
    app.segmented_control("sxpart").set_value(SUM).run()
    assert charts(app)[0]["layout"]["sliders"][0]["active"] == 1 and app.selectbox("_sxtok").value == 1
    app.session_state["_link_stok"] = 4  # as another view leaves it
    app.run()
    assert charts(app)[0]["layout"]["sliders"][0]["active"] == 4 and app.selectbox("_sxtok").value == 4


def test_a_plain_residual_says_what_one_stream_means_and_leads_to_another(models):
    app = opened(smodel="a-residual")
    assert "Every weight is 1" in words(app)
    assert "no pairs" in " ".join(note["text"] for note in charts(app)[0]["layout"]["annotations"])
    assert app.button("sxother").label == "Show a-mhc"
    app = opened(smodel="a-residual", sxpart=MUTE)
    config_loss = np.log(tiny.config().vocab_size)
    assert f"{config_loss:.2f} nats" in words(app)


def test_the_identity_path_is_shown_for_the_whole_family(models):
    app = opened(smodel="a-hc", sxpart=SUM)
    fans, readers = charts(app)
    heads = [trace["text"][0] for trace in fans["data"] if len(trace.get("text", "")) == 1]
    assert [head.split(" ·")[0].removeprefix("<b>") for head in heads] == ["plain residual", "HC", "mHC"]
    assert "× 1.000" in heads[0]
    assert sum(trace["type"] == "heatmap" for trace in readers["data"]) == 3
    assert "**plain residual · a-residual**: embedding × 1.000." in words(app)


def test_a_family_without_a_plain_member_shows_what_it_is_by_definition(models):
    app = opened(smodel="deep-hc", sxpart=SUM)
    assert "by definition" in words(app)
    app.selectbox("sxto").select("what MLP 1 reads").run()
    panel = charts(app)[0]["data"]
    ribbons = [trace for trace in panel[:4] if trace.get("fill")]
    drawn = sum(np.isfinite(numbers(trace)).sum() for trace in ribbons)
    assert drawn == 4 * 18  # embedding, attention 0, MLP 0, attention 1


@pytest.mark.parametrize("reader", ["final stream 2", "what attention 0 reads", "what MLP 1 reads"])
def test_every_reader_has_its_coefficients_and_its_snippet(models, reader, capsys):
    app = opened(smodel="a-hc", sxpart=SUM, sxto=reader)
    dots = [trace for trace in charts(app)[0]["data"] if trace.get("mode") == "markers"]
    found = np.frombuffer(base64.b64decode(dots[1]["customdata"]["bdata"]), np.float32)
    one = stream_unrolled.unrolled_of(tlmviz.load("a-hc").trace(tiny.TEXT))
    wanted = {
        "final stream 2": one.final[..., 2],
        "what attention 0 reads": one.read[0],
        "what MLP 1 reads": one.read[3],
    }[reader]
    np.testing.assert_allclose(found, wanted[:, -1].numpy(), atol=1e-5)
    assert run_snippet(app)["coefficients"].shape == wanted.shape


def test_muting_says_what_it_costs(models):
    app = opened(smodel="a-mhc", sxpart=MUTE)
    app.selectbox("sxmute").select("Stream 2")
    app.selectbox("sxfrom").select("from attention 1 on").run()
    lm = tlmviz.load("a-mhc")
    before = lm.trace(tiny.TEXT).loss_per_token().mean().item()
    after = lm.trace(tiny.TEXT, edit=stream_vectors.mute_stream(2, 2, 3)).loss_per_token().mean().item()
    assert f"**{before:.4f}** nats per token with all streams, **{after:.4f}** with stream 2 muted" in words(app)
    bars, grid = charts(app)
    assert (
        len(bars["data"]) == 2 and grid["layout"]["shapes"][0]["x0"] == 2.5 and grid["layout"]["shapes"][0]["y0"] == 1.5
    )
    scope = run_snippet(app)
    assert float(scope["change"]) == pytest.approx(after - before, abs=1e-5)


def test_the_map_of_a_long_text_is_asked_for(models, monkeypatch):
    monkeypatch.setattr(streams_data, "AT_ONCE", 10)
    app = opened(smodel="a-hc", sxpart=MUTE)
    assert len(charts(app)) == 1
    app.toggle("sxall").set_value(True).run()
    assert len(charts(app)) == 2


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    "text", ["a", "<b>&`*_$x$ \n é日本", "The cat sat on the mat. " * 500], ids=["short", "odd", "long"]
)
def test_odd_and_long_texts(models, part, text):
    app = opened(smodel="deep-mhc", sxpart=part, _link_text=text)
    assert charts(app)


def test_a_long_texts_slider_reaches_as_far_as_is_said(models, monkeypatch):
    monkeypatch.setattr("tlmviz.figures.streams.graph.BUDGET", 15_000)
    app = opened(smodel="a-mhc", _link_stok=0)
    frames = len(charts(app)[0]["frames"])
    assert f"The slider walks tokens 0 to {frames - 1} of" in words(app)


def test_links_with_nonsense_fall_back(models):
    query = {"sview": "Streams", "sxpart": "Mute", "sxmute": "Stream 9", "sxfrom": "nowhere", "stok": "99999"}
    app = open_alone(PAGE, query, smodel="a-mhc", _link_text=tiny.TEXT)
    assert_healthy(app)
    default = opened(smodel="a-mhc", text=tiny.TEXT, sxpart=MUTE).selectbox("sxmute").value
    assert app.selectbox("sxmute").value == default and app.selectbox("sxfrom").value == "from embedding on"


def test_a_choice_that_another_model_lacks_is_forgotten(models):
    app = opened(smodel="a-mhc", sxpart=MUTE, sxmute="Stream 2", sxfrom="from MLP 1 on")
    assert app.selectbox("sxmute").value == "Stream 2"
    app.session_state["smodel"] = "a-residual"
    app.run()
    assert_healthy(app)
    assert app.selectbox("sxmute").value == "Stream 0" and app.selectbox("sxfrom").value == "from MLP 1 on"

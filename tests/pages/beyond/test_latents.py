"""The page "Latents": what is sent, against the model; drawings, muting, links that make no sense; costs; both MLAs."""

import numpy as np
import pytest

import tlmviz
from pages.beyond.latents.reading import data as compute
from pages.beyond.latents.reading import state as controls
from tests.pages.helpers import assert_healthy, by_title, link_of, open_page, picture, run_snippet
from tests.pages.helpers import words as said
from tlmviz import digits
from tlmviz.latents import DigitReader

PAGE = "beyond/latents"
EMPTY = "0" * 64
DRAWN = digits.written(digits.held_out().images[10])


def test_the_page_opens_on_a_digit_that_is_read_right():
    app = open_page(PAGE)
    header, arrays = picture(app)
    image = digits.held_out().images[controls.FIRST]
    found = tlmviz.load("digits-perceiver").classify(image)
    assert header["pixels"] == digits.written(image) == DigitReader.default_text
    assert header["truth"] == found.digit == 3 and "right" in header["said"] and not header["error"]
    np.testing.assert_allclose(header["probabilities"], found.probabilities, atol=6e-5)
    np.testing.assert_allclose(arrays["reading"][:, 0], found.maps, atol=1e-6)
    np.testing.assert_allclose(arrays["reading"][:, 1:], found.head_maps, atol=1e-6)
    np.testing.assert_allclose(arrays["mixing"][:, 1:], found.mixing, atol=1e-6)
    assert "✗" not in said(app).replace("read as", "")


def test_the_snippet_reads_the_same():
    scope = run_snippet(open_page(PAGE))
    np.testing.assert_allclose(
        scope["found"].probabilities, tlmviz.load("digits-perceiver").classify(scope["image"]).probabilities
    )
    app = open_page(PAGE, {"latpix": DRAWN, "latmute": "1"})
    scope, header = run_snippet(app), picture(app)[0]
    np.testing.assert_allclose(scope["found"].probabilities, header["probabilities"], atol=6e-5)
    assert not scope["found"].mixing[..., 1].any()


@pytest.mark.parametrize("latents", controls.MODELS)
def test_every_model_with_every_latent_but_one_muted(latents):
    muted = ".".join(map(str, range(1, latents)))
    header, arrays = picture(
        open_page(PAGE, {"latm": str(latents), "latmute": muted, "latpin": f"2.{latents - 1}"})
    )
    assert header["latents"] == latents and arrays["reading"].shape[2:] == (latents, 64)
    assert header["state"]["muted"] == list(range(1, latents)) and header["state"]["pin"] == [2, latents - 1]
    np.testing.assert_allclose(arrays["mixing"][:, 1:, :, 0], 1, atol=1e-5)


def test_a_drawing_of_the_link():
    app = open_page(PAGE, {"latpix": DRAWN})
    header, _ = picture(app)
    assert (
        header["pixels"] == header["read"] == DRAWN
        and header["truth"] is None
        and "Your drawing" in header["said"]
    )
    app.selectbox("latd").set_value(20).run()
    header, _ = picture(app)
    assert header["pixels"] == digits.written(digits.held_out().images[20]) and "latpix" not in link_of(app)


def test_a_small_seven_in_a_corner_is_read_in_the_middle():
    """The pad keeps what was drawn; what is read of it is said to be moved, and is what the maps' dots show."""
    drawn = "eff8000056g400000cb000004g40000005000000" + "0" * 24
    app = open_page(PAGE, {"latpix": drawn})
    header, arrays = picture(app)
    image = digits.normalised(digits.read(drawn))
    assert header["pixels"] == drawn and header["read"] == digits.written(image) != drawn
    found = tlmviz.load("digits-perceiver").classify(image)
    assert found.digit == int(np.argmax(header["probabilities"])) == 7
    assert "put in the middle" in header["said"] and "read as 7" in header["said"]
    np.testing.assert_allclose(arrays["reading"][:, 1:], found.head_maps, atol=1e-6)


def test_an_empty_pad_is_a_sentence_and_the_pad_stays():
    app = open_page(PAGE, {"latpix": EMPTY})
    header, _ = picture(app)
    assert "empty" in header["error"] and header["pixels"] == EMPTY


def test_all_latents_muted_is_a_sentence():
    header, _ = picture(open_page(PAGE, {"latmute": "0.1.2.3.4.5.6.7"}))
    assert "leave at least one" in header["error"]


def test_a_digit_that_is_read_wrong_is_said_to_be():
    wrong = compute.held_out("digits-perceiver").wrong
    assert compute.wrong_first("digits-perceiver")[: len(wrong)] == list(wrong)
    header, _ = picture(open_page(PAGE, {"latd": str(wrong[0])}))
    assert f"wrong, it is a {header['truth']}" in header["said"]


@pytest.mark.parametrize(
    "link",
    [
        {"latm": "5", "latd": "9999", "latmute": "-1.99", "latpin": "9.9", "lathead": "99", "latpix": "abc"},
        {"latd": "x", "latmute": "<b>", "latpin": "1", "lathead": "-1", "latpix": "h" * 64},
        {"latpart": "?", "latpin": "1.2.3,4", "latmute": "", "latpix": "0" * 63},
    ],
)
def test_a_hostile_link_shows_the_page(link):
    header, _ = picture(open_page(PAGE, link))
    assert (
        header["pixels"] == DigitReader.default_text
        and header["state"]["muted"] == []
        and not header["error"]
    )


def test_the_charts_below_are_counts():
    charts = by_title(open_page(PAGE))
    [matrix] = [chart for title, chart in charts.items() if "read right" in title and "382" in title]
    quality = compute.held_out("digits-perceiver")
    assert sum(sum(row) for row in quality.confusion.tolist()) == 382
    assert matrix["data"][0]["type"] == "heatmap"
    [bars] = [
        chart
        for title, chart in charts.items()
        if title == "Held-out digits read right with one latent muted"
    ]
    assert len(bars["data"][0]["x"]) == 8


def test_muting_every_latent_in_turn():
    data, reader = digits.held_out(), tlmviz.load("digits-perceiver")
    shares = compute.muted_one_by_one("digits-perceiver")
    read = [reader.classify(image, mute=[2]).digit for image in data.images[:60]]
    assert len(shares) == 8 and max(shares) <= 1
    np.testing.assert_array_equal(read, reader.predict(data.images[:60], mute=[2]).argmax(1))


class TestCost:
    def test_the_picture_and_the_times(self):
        app = open_page(PAGE, {"latpart": "Cost"})
        header, _ = picture(app)
        assert (header["state"]["inputs"], header["state"]["latents"]) == (1024, 64)
        [chart] = [chart for title, chart in by_title(app).items() if "measured" in title]
        assert [trace["name"] for trace in chart["data"]] == ["self-attention", "8 latents", "64 latents"]
        run_snippet(app)

    @pytest.mark.parametrize(
        "link, sizes",
        [(("1", "1"), (1, 1)), (("9e9", "x"), (1024, 64)), (("99999999", "5000"), (65536, 4096))],
    )
    def test_any_link(self, link, sizes):
        header, _ = picture(open_page(PAGE, {"latpart": "Cost", "latn": link[0], "latk": link[1]}))
        assert (header["state"]["inputs"], header["state"]["latents"]) == sizes


class TestTwoMLAs:
    def test_the_shapes_are_those_of_the_models(self):
        text = "Lily had a red ball."
        app = open_page(PAGE, {"latpart": "Two MLAs", "text": text})
        assert_healthy(app)
        scope = run_snippet(app)
        tokens = len(scope["trace"])
        assert scope["trace"]["blocks.0.attn.latent"].shape == (1, 1, tokens, 72)
        titles = list(by_title(app))
        assert any("64 rows of 48 → 8 rows of 48" in title for title in titles)
        assert any(f"{tokens} rows of 128 → {tokens} rows of 72" in title for title in titles)
        assert "cache: 256 → 72 numbers per token" in said(app)

    def test_no_text_is_a_sentence(self):
        assert_healthy(open_page(PAGE, {"latpart": "Two MLAs", "text": ""}))

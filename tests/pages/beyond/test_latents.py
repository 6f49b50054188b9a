"""The page "Latents": what is sent, against the model; drawings, muting, links that make no sense; costs; both MLAs."""

import numpy as np
import pytest

import tlmviz
from pages.beyond.latents.cost.state import Cost
from pages.beyond.latents.reading import data as compute
from pages.beyond.latents.reading import state as controls
from pages.beyond.latents.reading import view
from tests.packed import unpacked
from tests.pages.helpers import assert_healthy, by_title, drawn, link_of, open_page, picture, run_snippet
from tests.pages.helpers import words as said
from tests.pages.states import linked
from tlmviz import digits

PAGE = "beyond/latents"
MODEL = "digits-perceiver"
EMPTY = "0" * 64
DRAWN = digits.written(digits.held_out().images[10])


def header_by(link) -> dict:
    """The header of what the picture is sent by a link."""
    return unpacked(drawn(view.picture, compute.Data(linked(controls.Reading, link))))[0]


def one_cell(letters, cell=0):
    """A link's cells with one drawn."""
    return ".".join(letters if i == cell else "" for i in range(9))


def grid_of(first):
    return digits.held_out().images[first : first + 9].reshape(3, 3, 8, 8)


def test_the_page_opens_on_nine_digits():
    app = open_page(PAGE)
    header, arrays = picture(app)
    first = controls.FIRST
    found = tlmviz.load(MODEL).classify(grid_of(first))
    assert header["pixels"] == [digits.written(image) for image in digits.held_out().images[first : first + 9]]
    assert header["truth"] == digits.held_out().labels[first : first + 9].tolist()
    assert header["read"] == found.probabilities.argmax(1).tolist() and not header["error"]
    assert "At the top left: read as" in header["said"]
    np.testing.assert_allclose(arrays["probabilities"], found.probabilities, atol=1e-6)
    np.testing.assert_allclose(arrays["reading"][:, 0], found.maps, atol=1e-6)
    np.testing.assert_allclose(arrays["reading"][:, 1:], found.head_maps, atol=1e-6)
    np.testing.assert_allclose(arrays["mixing"][:, 1:], found.mixing, atol=1e-6)
    np.testing.assert_allclose(arrays["answering"][1:], found.answering, atol=1e-6)
    np.testing.assert_array_equal(arrays["picture"], digits.held_out_pictures()[0][first])
    assert "✗" not in said(app)


def test_the_snippet_reads_the_same():
    scope = run_snippet(open_page(PAGE))
    expected = tlmviz.load(MODEL).classify(grid_of(controls.FIRST)).probabilities
    np.testing.assert_allclose(scope["found"].probabilities, expected, atol=1e-6)
    cells = ".".join([DRAWN, EMPTY, *[""] * 7])
    app = open_page(PAGE, {"latpix": cells, "latmute": "1"})
    scope, (header, arrays) = run_snippet(app), picture(app)
    np.testing.assert_allclose(scope["found"].probabilities, arrays["probabilities"], atol=1e-6)
    assert not scope["found"].mixing[..., 1].any() and scope["grid"][0][1] is None
    assert header["truth"][:3] == [None, digits.NOTHING, 5]


@pytest.mark.parametrize("latents", controls.MODELS)
def test_every_model_with_every_latent_but_one_muted(latents):
    muted = tuple(range(1, latents))
    found = compute.Data(controls.Reading(latents=latents, muted=muted, pin=(2, latents - 1)))
    header, arrays = unpacked(drawn(view.picture, found))
    assert header["latents"] == latents and arrays["reading"].shape[2:] == (latents, 576)
    assert header["state"]["muted"] == list(muted) and header["state"]["pin"] == [2, latents - 1]
    np.testing.assert_allclose(arrays["mixing"][:, 1:, :, 0], 1, atol=1e-5)
    np.testing.assert_allclose(arrays["answering"][..., 0], 1, atol=1e-5)


def test_a_drawing_of_the_link():
    app = open_page(PAGE, {"latpix": one_cell(DRAWN, 4), "latcell": "4"})
    header, arrays = picture(app)
    assert header["pixels"][4] == DRAWN and header["truth"][4] is None
    assert "Your drawing at the middle is read" in header["said"]
    np.testing.assert_array_equal(arrays["picture"][8:16, 8:16], digits.read(DRAWN))
    app.selectbox("latd").set_value(20).run()
    header, _ = picture(app)
    assert header["pixels"][4] == digits.written(digits.held_out().images[24])
    assert "latpix" not in link_of(app)


def test_a_small_seven_in_a_corner_is_read_in_the_middle():
    """The pad keeps what was drawn; what is read of it is said to be moved, and is what the maps show."""
    letters = "eff8000056g400000cb000004g40000005000000" + "0" * 24
    app = open_page(PAGE, {"latpix": one_cell(letters, 2), "latcell": "2"})
    header, arrays = picture(app)
    image = digits.normalised(digits.read(letters))
    assert header["pixels"][2] == letters != digits.written(image)
    np.testing.assert_array_equal(arrays["picture"][:8, 16:], image)
    assert header["read"][2] == 7
    assert "put in the middle" in header["said"] and "read as a 7" in header["said"]


def test_an_empty_cell_and_an_empty_picture():
    header = header_by({"latpix": one_cell(EMPTY)})
    assert header["read"][0] == digits.NOTHING and "read as nothing" in header["said"] and "right" in header["said"]
    header = header_by({"latpix": ".".join([EMPTY] * 9)})
    assert "blank" in header["error"] and header["pixels"] == [EMPTY] * 9 and header["read"] == []


def test_all_latents_muted_is_a_sentence():
    assert "leave at least one" in header_by({"latmute": "0.1.2.3.4.5.6.7"})["error"]


def test_the_picture_with_most_mistakes_comes_first():
    right = compute.held_out(MODEL).right_cells
    order = compute.Data.wrong_first(MODEL)
    assert sorted(order) == list(range(382)) and right[order[0]].sum() == right.sum(1).min()
    cell = int(np.flatnonzero(~right[order[0]])[0])
    header = header_by({"latd": str(order[0]), "latcell": str(cell)})
    name = "an 8" if (truth := header["truth"][cell]) == 8 else f"a {truth}"
    assert f"wrong, it is {name}" in header["said"]


@pytest.mark.parametrize(
    "link",
    [
        {"latm": "5", "latd": "9999", "latmute": "-1.99", "latpin": "9.9", "lathead": "99", "latpix": "abc"},
        {"latd": "x", "latmute": "<b>", "latpin": "1", "lathead": "-1", "latpix": "h" * 64, "latcell": "1.2"},
        {"latpart": "?", "latpin": "1.2.3,4", "latmute": "", "latpix": "0" * 64, "latcell": "x"},
    ],
)
def test_a_hostile_link_shows_the_picture(link):
    header = header_by(link)
    assert header["pixels"][0] == digits.written(digits.held_out().images[controls.FIRST])
    assert header["state"]["muted"] == [] and header["state"]["cell"] == 0 and not header["error"]


def test_the_charts_below_are_shares():
    charts = by_title(open_page(PAGE))
    [lines] = [chart for title, chart in charts.items() if title == "Held-out digits read right"]
    assert [trace["name"] for trace in lines["data"]] == [f"M = {latents}" for latents in controls.MODELS]
    [matrix] = [chart for title, chart in charts.items() if "with one latent muted" in title]
    assert np.shape(matrix["data"][0]["z"]) == (8, 9) or len(matrix["data"][0]["customdata"]) == 8


def test_a_full_picture_is_the_last_of_the_line():
    shares = compute.read_of_some(MODEL)
    assert shares[-1] == pytest.approx(compute.held_out(MODEL).right_cells[::4].mean())


def test_muting_every_latent_in_turn():
    shares, reader = compute.Data.muted_one_by_one(MODEL), tlmviz.load(MODEL)
    pictures, labels = digits.held_out_pictures()
    assert shares.shape == (8, 9) and shares.min() >= 0 and shares.max() <= 1
    read = reader.predict(pictures[::4], mute=[2]).argmax(-1)
    np.testing.assert_allclose(shares[2], (read == labels[::4]).mean(0))


class TestCost:
    def test_the_picture_and_the_times(self):
        app = open_page(PAGE, {"latpart": "Cost"})
        header, _ = picture(app)
        assert (header["state"]["inputs"], header["state"]["latents"]) == (1024, 64)
        [chart] = [chart for title, chart in by_title(app).items() if "measured" in title]
        assert [trace["name"] for trace in chart["data"]] == ["self-attention", "8 latents", "64 latents"]
        run_snippet(app)

    def test_a_link_beyond_the_ends(self):
        assert linked(Cost, {"latn": "1", "latk": "1"}) == Cost(inputs=1, latents=1)
        assert linked(Cost, {"latn": "9e9", "latk": "x"}) == Cost()
        assert linked(Cost, {"latn": "99999999", "latk": "5000"}) == Cost(inputs=65536, latents=4096)


class TestTwoMLAs:
    def test_the_shapes_are_those_of_the_models(self):
        text = "Lily had a red ball."
        app = open_page(PAGE, {"latpart": "Two MLAs", "text": text})
        assert_healthy(app)
        scope = run_snippet(app)
        tokens = len(scope["trace"])
        assert scope["trace"]["blocks.0.attn.latent"].shape == (1, 1, tokens, 72)
        titles = list(by_title(app))
        assert any("576 rows of 48 → 8 rows of 48" in title for title in titles)
        assert any(f"{tokens} rows of 128 → {tokens} rows of 72" in title for title in titles)
        assert "cache: 256 → 72 numbers per token" in said(app)

    def test_no_text_is_a_sentence(self):
        assert_healthy(open_page(PAGE, {"latpart": "Two MLAs", "text": ""}))

"""The page Pointers: what is sent, against the networks and SciPy; points moved by hand; unknown words; links without
sense."""

import json

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import tlmviz
from pages.words.pointers import claims, data, view
from pages.words.pointers.sentinel import claims as sentinel_claims
from pages.words.pointers.sentinel import data as sentinel
from pages.words.pointers.sentinel import view as sentinel_view
from pages.words.pointers.state import SENTINEL, TEXT, Choice
from tests.packed import unpacked
from tests.pages.helpers import by_title, drawn, green, link_of, open_page, picture, run_snippet
from tests.pages.helpers import words as said
from tests.pages.states import above_the_picture, linked
from tlmviz.analysis.words.hulls import SCATTERS, judge, scattered
from tlmviz.ui.claims import first

PAGE = "words/pointers"
START = {name: control.default for name, control in Choice.controls.items()}
KNOWN = "Once upon a time there was a little girl named Lily. Lily had a red ball."


def test_the_page_opens_on_what_the_network_draws():
    app = open_page(PAGE)
    header, arrays = picture(app)
    points = arrays["points"] / 1000
    drawing = tlmviz.load("pointer-hull").draw(points)
    assert header["order"] == drawing.order.tolist()
    np.testing.assert_allclose(arrays["attention"], drawing.attention, atol=1e-6)
    assert set(header["exact"]) == set(ConvexHull(points).vertices.tolist())
    weights = drawing.attention.astype(float)
    entropy = [-sum(p * np.log(p) for p in row if p > 0) for row in weights]
    # A step at which the rays split.
    assert header["doubtful"] == np.argmax(entropy) + 1 and header["state"]["step"] == 0 and max(entropy) > 0.3
    verdict = judge(points, drawing.order)
    assert verdict.valid and header["missed"] == list(verdict.missed) and header["extra"] == list(verdict.extra)
    assert "✗" not in said(app)


def test_the_snippet_draws_the_same():
    app = open_page(PAGE, {"hn": "9", "hkind": "Cloud", "hseed": "3"})
    scope = run_snippet(app)
    header, arrays = picture(app)
    assert scope["drawing"].order.tolist() == header["order"]
    np.testing.assert_allclose(scope["points"] * 1000, arrays["points"], atol=1e-9)


def test_points_of_a_link_take_the_place_of_the_scatter():
    app = open_page(PAGE, {"hpts": "100.100,900.100,900.900,100.900,500.500", "hstep": "2"})
    header, arrays = picture(app)
    assert arrays["points"].tolist() == [[100, 100], [900, 100], [900, 900], [100, 900], [500, 500]]
    assert header["exact"] == [0, 1, 2, 3] and header["state"]["step"] == 2
    np.testing.assert_allclose(run_snippet(app)["points"] * 1000, arrays["points"])
    app.number_input("hn").set_value(6).run()
    assert len(picture(app)[1]["points"]) == 6 and "hpts" not in link_of(app)


@pytest.mark.parametrize("kind", SCATTERS)
@pytest.mark.parametrize("number", [1, 2, 3, 50])
def test_every_scatter_in_any_number(kind, number):
    points = scattered(kind, number, 5)
    assert points.shape == (number, 2) and (points >= 0).all() and (points <= 1).all()
    found = data.Data(Choice(**START | {"kind": kind, "number": number, "seed": 5}))
    assert found.points == tuple((int(x), int(y)) for x, y in np.rint(points * 1000))
    sentence = first(claims.CLAIMS[1:], found)  # behind what is said of the step
    assert f"{len(found.drawing.order)} of {number} point" in sentence
    assert bool(claims.unlike_training(found)) == (number < 5)
    assert all(check.passed for check in found.checks)


def test_a_thousand_points():
    app = open_page(PAGE, {"hn": "1000"})
    _, arrays = picture(app)
    assert len(arrays["points"]) == 1000 and "never trained on 1,000 points" in said(app)


def test_the_chart_of_larger_sets_is_what_was_measured():
    app = open_page(PAGE)
    [chart] = [each for title, each in by_title(app).items() if "Fresh sets" in title]
    names = [trace["name"] for trace in chart["data"]]
    assert names == ["area covered", "valid polygon", "exactly the hull"]
    found = data.Data.reach()
    assert [each.number for each in found] == list(data.NUMBERS)
    assert min(each.coverage for each in found if each.number <= 50) > 0.99


@pytest.mark.parametrize("points", ["a", "1.2.3", "2000.1", "-5.3", "1.1," * 1500, "<b>", "5"])
def test_a_hostile_link_shows_the_points(points):
    query = {"hpts": points, "hstep": "-3", "hn": "0", "hseed": "x", "hkind": "?"}
    header, arrays = unpacked(drawn(view.picture, data.Data(linked(Choice, query))))
    assert len(arrays["points"]) == 1 and header["order"]  # the least there is, for 0


class TestVerdicts:
    SQUARE = ((0, 0), (900, 0), (900, 900), (0, 900), (450, 450))

    def sentence(self, order, monkeypatch):
        found = data.Data(Choice(**START | {"points": self.SQUARE}))
        drawing = type(found.drawing)(np.array(order), found.drawing.attention)
        monkeypatch.setattr(data.Data, "drawing", drawing)
        return first(claims.CLAIMS[1:], found)

    def test_exact(self, monkeypatch):
        assert "exactly the hull" in self.sentence([0, 1, 2, 3], monkeypatch)

    def test_a_corner_left_out(self, monkeypatch):
        assert "50.00% of the hull's area (1 corner left out)" in self.sentence([0, 1, 2], monkeypatch)

    def test_one_visited_that_is_none(self, monkeypatch):
        said = self.sentence([0, 1, 2, 4, 3], monkeypatch)
        assert "75.00%" in said and "1 visited that is no corner" in said

    def test_the_wrong_way_round(self, monkeypatch):
        assert "100.00% of the hull's area (in another order)" in self.sentence([0, 3, 2, 1], monkeypatch)

    def test_crossed(self, monkeypatch):
        assert "no valid polygon" in self.sentence([0, 2, 1, 3], monkeypatch)


def copies(text: str, shift: float = 0.0) -> sentinel.Data:
    return sentinel.Data(Choice(**START | {"part": SENTINEL, "text": text, "shift": shift}))


def test_the_page_opens_on_a_name_that_is_copied():
    app = open_page(PAGE, {"pointer": "sentinel"})
    header, arrays = picture(app)
    mix = tlmviz.load("stories-sentinel").mixture(TEXT)
    np.testing.assert_allclose(arrays["gate"], mix.gate, atol=1e-6)
    np.testing.assert_allclose(arrays["pointer"], mix.pointer, atol=1e-6)
    row = header["most"] - 1
    assert header["tokens"][row + 1] == "Zorbina" == header["offers"][row][0][0] and mix.gate[row] < 0.5
    assert [word for word, new in zip(header["tokens"], header["unknown"]) if new] == (
        [t for t in mix.tokens if t in ("Zorbina", "Quillo")]
    )
    for t, offers in enumerate(header["offers"]):
        for word, written, copied in offers:
            column = mix.words.index(word)
            assert written + copied == pytest.approx(mix.mixed[t, column], abs=1e-5)
            assert written == pytest.approx(mix.gate[t] * mix.vocabulary[t, column], abs=1e-5)
    assert "Zorbina" in said(app) and "✗" not in said(app)


def test_the_losses_are_both_models():
    app = open_page(PAGE, {"pointer": "sentinel", "ptext": KNOWN})
    [chart] = [each for title, each in by_title(app).items() if title.startswith("Loss of each word")]
    for trace, nats, name in zip(chart["data"], copies(KNOWN).nats, (sentinel.COPIER, sentinel.PLAIN)):
        mix = tlmviz.load(name).mixture(KNOWN)
        expected = -np.log(mix.probabilities())
        shown = trace["y"]
        assert len(shown.get("bdata", "") if isinstance(shown, dict) else shown)
        np.testing.assert_allclose(nats, expected, atol=1e-4)  # every word is known
    assert "Every word of this text is in the vocabulary" in said(app)


def test_the_sentinel_is_moved():
    low = picture(open_page(PAGE, {"pointer": "sentinel", "pshift": "-10.0"}))[1]["gate"]
    high = picture(open_page(PAGE, {"pointer": "sentinel", "pshift": "10.0"}))[1]["gate"]
    gate = sentinel.mixture(sentinel.COPIER, TEXT).gate
    assert (low <= gate).all() and (gate <= high).all() and high.min() > 0.99 and low.mean() < 0.3


def test_the_snippet_copies_the_same():
    app = open_page(PAGE, {"pointer": "sentinel", "ptext": "Tom saw Zorbo. Zorbo ran.", "pshift": "1.5"})
    scope = run_snippet(app)
    np.testing.assert_allclose(scope["mix"].gate, picture(app)[1]["gate"], atol=1e-6)
    assert scope["mix"].unknown == ["Zorbo"]


def test_the_word_of_a_link():
    assert picture(open_page(PAGE, {"pointer": "sentinel", "pword": "3"}))[0]["state"]["word"] == 3
    header, _ = picture(open_page(PAGE, {"pointer": "sentinel", "pword": "249", "ptext": "Tom ran."}))
    assert min(header["state"]["word"], len(header["tokens"])) == 3 and header["tokens"] == ["Tom", "ran", "."]


@pytest.mark.parametrize(
    "text, why", [("", "no words"), ("Tom", "has 1."), ("ball " * 251, "251"), ("a " * 1500, "1,500")]
)
def test_a_text_that_cannot_be_shown_is_one_sentence(text, why):
    app = open_page(PAGE, {"pointer": "sentinel", "ptext": text})
    assert not app.exception and not app.error
    assert any(why in part.value for part in (*app.warning, *app.info)), [part.value for part in app.warning]


@pytest.mark.parametrize(
    "query", [{"pword": "-1", "pshift": "x"}, {"ptext": "<b> 😀 $x$ ⟨unknown⟩"}, {"ptext": "猫が いる 猫が"}]
)
def test_a_hostile_link_shows_the_text(query):
    found = sentinel.Data(linked(Choice, query, part=SENTINEL))
    header, _ = unpacked(drawn(sentinel_view.picture, found))
    assert len(header["offers"]) == len(header["tokens"]) and green(found.checks)


def test_moving_the_sentinel_moves_sentence_and_chart():
    """Both follow the slider: at +10 nothing is copied, at −10 nearly all."""
    means, charts = [], []
    for shift in ("-10.0", "0.0", "10.0"):
        app = open_page(PAGE, {"pointer": "sentinel", "pshift": shift})
        found = copies(TEXT, float(shift))
        means.append(f"{found.nats[0].mean():.2f}")
        assert f"loses {means[-1]} nats per word" in said(app)
        [chart] = [each for title, each in by_title(app).items() if title.startswith("Loss of each word")]
        charts.append(json.dumps(chart["data"][0]["y"]))
    assert means == ["4.44", "2.09", "2.73"] and len(set(charts)) == 3
    assert "5.27" in sentinel_claims.where_it_comes_again(copies(TEXT, 10.0))
    assert "0.12" in sentinel_claims.where_it_comes_again(copies(TEXT, -10.0))


class TestWords:
    def test_unknown_words_that_come_once(self):
        assert "None comes again" in first(sentinel_claims.CLAIMS, copies("Tom saw Zorbo."))

    def test_losses_name_the_places(self):
        assert "(4 places)" in sentinel_claims.where_it_comes_again(copies("Zorbo ran. Zorbo, Zorbo, Zorbo and Zorbo."))


@pytest.mark.parametrize("part", ["hull", "sentinel"])
def test_the_first_claim_stands_above_the_picture(part):
    app = open_page(PAGE, {"pointer": part})
    said = (
        first(claims.CLAIMS, data.Data(Choice(**START)))
        if part == "hull"
        else first(sentinel_claims.CLAIMS, copies(TEXT))
    )
    assert above_the_picture(app) == [said]

"""The page "Pointer sentinel": what is sent, against the models; unknown words; the sentinel moved; texts it cannot read."""

import json

import numpy as np
import pytest

import tlmviz
from pages.words.pointer_sentinel import compute, controls, words
from tests.pages.helpers import assert_healthy, by_title, open_page, run_snippet
from tests.pages.helpers import words as said

PAGE = "words/pointer_sentinel"
KNOWN = "Once upon a time there was a little girl named Lily. Lily had a red ball."


def picture(app) -> tuple[dict, dict[str, np.ndarray]]:
    """Header and arrays of the one picture that is sent as bytes."""
    assert_healthy(app)
    [data] = [part.proto.bytes for part in app.get("bidi_component") if part.proto.bytes]
    size = int(np.frombuffer(data[:4], "<u4")[0])
    header, rest = json.loads(data[4 : 4 + size]), data[4 + size :]
    arrays = {
        name: np.frombuffer(rest, "<f4", int(np.prod(entry["shape"])), entry["offset"]).reshape(
            entry["shape"]
        )
        for name, entry in header["arrays"].items()
    }
    return header, arrays


def test_the_page_opens_on_a_name_that_is_copied():
    app = open_page(PAGE)
    header, arrays = picture(app)
    mix = tlmviz.load("stories-sentinel").mixture(controls.DEFAULT)
    np.testing.assert_allclose(arrays["gate"], mix.gate, atol=1e-6)
    np.testing.assert_allclose(arrays["pointer"], mix.pointer, atol=1e-6)
    row = header["word"] - 1
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
    app = open_page(PAGE, {"ptext": KNOWN})
    [chart] = [each for title, each in by_title(app).items() if title.startswith("Loss of each word")]
    for trace, name in zip(chart["data"], ("stories-sentinel", "stories-sentinel-plain")):
        mix = tlmviz.load(name).mixture(KNOWN)
        expected = -np.log(mix.probabilities())
        shown = trace["y"]
        assert len(shown.get("bdata", "") if isinstance(shown, dict) else shown)
        np.testing.assert_allclose(compute.nats(mix), expected, atol=1e-4)  # every word is known
    assert "Every word of this text is in the vocabulary" in said(app)


def test_the_sentinel_is_moved():
    low = picture(open_page(PAGE, {"pshift": "-10.0"}))[1]["gate"]
    high = picture(open_page(PAGE, {"pshift": "10.0"}))[1]["gate"]
    gate = compute.mixture(compute.COPIER, controls.DEFAULT).gate
    assert (low <= gate).all() and (gate <= high).all() and high.min() > 0.99 and low.mean() < 0.3


def test_the_snippet_says_the_same():
    app = open_page(PAGE, {"ptext": "Tom saw Zorbo. Zorbo ran.", "pshift": "1.5"})
    scope = run_snippet(app)
    np.testing.assert_allclose(scope["mix"].gate, picture(app)[1]["gate"], atol=1e-6)
    assert scope["mix"].unknown == ["Zorbo"]


def test_the_word_of_a_link():
    assert picture(open_page(PAGE, {"pword": "3"}))[0]["word"] == 3
    header, _ = picture(open_page(PAGE, {"pword": "249", "ptext": "Tom ran."}))
    assert header["word"] == 3 and header["tokens"] == ["Tom", "ran", "."]


@pytest.mark.parametrize(
    "text, why", [("", "no words"), ("Tom", "1 words"), ("ball " * 251, "251"), ("a " * 1500, "1,500")]
)
def test_a_text_that_cannot_be_shown_is_one_sentence(text, why):
    app = open_page(PAGE, {"ptext": text})
    assert not app.exception and not app.error
    assert any(why in part.value for part in (*app.warning, *app.info)), [part.value for part in app.warning]


@pytest.mark.parametrize(
    "query", [{"pword": "-1", "pshift": "x"}, {"ptext": "<b> 😀 $x$ ⟨unknown⟩"}, {"ptext": "猫が いる 猫が"}]
)
def test_a_hostile_link_shows_the_page(query):
    header, _ = picture(open_page(PAGE, query))
    assert len(header["offers"]) == len(header["tokens"])


class TestWords:
    def choice(self, text):
        return controls.Choice(text, 0.0, 0)

    def test_unknown_words_that_come_once(self):
        assert "None comes again" in words.said(self.choice("Tom saw Zorbo."))

    def test_losses_name_the_places(self):
        assert "(4 places)" in words.losses(self.choice("Zorbo ran. Zorbo, Zorbo, Zorbo and Zorbo."))

"""The part FastText of the page Word vectors, run as Streamlit runs it."""

from functools import partial

import numpy as np
import pytest

import tlmviz
from pages.words.word_vectors.fasttext import claims, data, view
from pages.words.word_vectors.fasttext.state import Word
from tests.pages.helpers import assert_healthy, by_title, charted, open_page, run_snippet, words
from tests.pages.states import told
from tlmviz.errors import Error
from tlmviz.ui import frame

opened = partial(open_page, "words/word_vectors", wvpart="fasttext")
TYPO = Word.word.default


@pytest.fixture(scope="module")
def wv():
    return tlmviz.load(data.MODEL)


def test_a_typo_has_parts_and_neighbours_and_elsewhere_nothing(wv):
    app = opened()
    shown = by_title(app)
    assert f"{data.MODEL}: nearest words (cosine)" in shown
    assert not any(title.startswith(data.OTHER) for title in shown)
    assert "can say nothing" in words(app) and "not in the vocabulary" in " ".join(shown)
    bars = next(chart for title, chart in shown.items() if "parts and their shares" in title)
    assert [text.replace("&lt;", "<").replace("&gt;", ">") for text in bars["data"][0]["text"]] == wv.ngrams(TYPO)
    scope = run_snippet(app)
    np.testing.assert_allclose(scope["part_shares"], data.Data(Word()).shares, atol=1e-5)
    names = shown[f"{data.MODEL}: nearest words (cosine)"]["layout"]["yaxis"]["ticktext"]
    assert names == [word for word, _ in scope["near"]]


@pytest.mark.parametrize("word", ["beautiful", "a", "banana", "o'clock", "слово", "Zzz", "aaaa", "élan"])
def test_parts_lie_under_their_letters_and_sum_to_the_word(wv, word):
    found = data.Data(Word(word=word))
    for part, start in zip(found.parts, found.starts):
        assert found.marked[start : start + len(part.text)] == part.text
    assert found.shares.sum() == pytest.approx(1, abs=1e-6)
    assert found.parts[0].whole == (found.word in wv)
    assert charted(view.parts, found)
    assert ("can say nothing" in told(claims.CLAIMS, found)) == (found.word not in wv)


def test_spelling_in_common_is_of_the_ngrams(wv):
    names, common, cosines = data.Data(Word(word="walking")).spelling
    assert "walking" not in names and len(names) == len(wv.vocabulary) - 1
    own, other = set(wv.ngrams("walking")), set(wv.ngrams("walked"))
    at = names.index("walked")
    assert common[at] == pytest.approx(len(own & other) / len(own | other))
    one, two = (wv.vector(word).double().numpy() for word in ("walking", "walked"))
    assert cosines[at] == pytest.approx(one @ two / np.linalg.norm(one) / np.linalg.norm(two), abs=1e-5)


@pytest.mark.parametrize(
    "word, said",
    [
        ("", "No word is typed"),
        ("two words", "is 2 words"),
        ("!?", "no word"),
        ("a " * 10_000, "at most 30"),
        ("x" * 31, "at most 30"),
    ],
)
def test_what_is_no_word_is_one_sentence(word, said):
    with pytest.raises(Error) as refused:
        assert data.Data(Word(word=word)).word
    assert said in frame.worded(refused.value)


def test_after_what_is_no_word_another_is_shown():
    app = opened({"ftw": "two words"})
    assert not app.exception and "is 2 words" in app.info[0].value
    app.text_input("ftw").set_value("dog").run()
    assert_healthy(app)
    assert any("“dog”" in title for title in by_title(app))


def test_letters_in_no_word_are_said():
    assert "None of its" in told(claims.CLAIMS, data.Data(Word(word="слово")))
    assert charted(view.parts, data.Data(Word(word="狗")))

"""The part Text to pairs of the page Word vectors, run as Streamlit runs it, and its arithmetic in the browser's
language."""

import numpy as np
import pytest

import tlmviz
from pages.words.word_vectors.pairs import data
from pages.words.word_vectors.pairs.state import BY_DISTANCE, EXAMPLES, ONE, Pairs
from pages.words.word_vectors.state import LONGEST
from tests.javascript.node import evaluate
from tests.pages.helpers import assert_healthy, by_title, link_of, open_page, run_snippet, words
from tlmviz.analysis.words import reading

PAGE = "words/word_vectors"
DEFAULT_TEXT = EXAMPLES["Cat and dog"]
COUNTING = "pages/words/word_vectors/pairs/counting.js"
DECODE = "tlmviz/ui/components/canvas/decode.js"
NO_BODY = "dgfsj qwrtz"


def opened(**session):
    return open_page(PAGE, **session)


def sent(app) -> bytes:
    """What the browser gets."""
    assert_healthy(app)
    [view] = [
        part.proto for part in app.get("bidi_component") if part.proto.bytes and b"vocabulary" in part.proto.bytes
    ]
    return view.bytes


def choice(text=DEFAULT_TEXT, window=2, by_distance=False, threshold=0.0, seed=0, model="words-negative"):
    counting = BY_DISTANCE if by_distance else ONE
    given = {"text": text, "window": window, "counting": counting, "threshold": threshold, "seed": seed, "model": model}
    return data.Data(Pairs(**given))


def test_it_opens_on_two_words_that_never_meet_and_are_alike():
    app = opened()
    shown = by_title(app)
    assert len(shown) == 4 and "red-badge" not in words(app)
    assert "“cat” and “dog” never meet" in words(app) and "cosine of 0.97" in words(app)
    own = choice()
    place = own.place
    assert own.words[place] == "dog" and place < len(own.words) - 2  # its window is whole


def test_distances_are_those_of_the_vectors():
    app, wv = opened(), tlmviz.load("words-negative")
    shown = by_title(app)
    cat, dog = wv.vector("cat").double(), wv.vector("dog").double()
    expected = float((cat / cat.norm() - dog / dog.norm()).norm())
    names = choice().distances.words
    i, j = names.index("cat"), names.index("dog")
    assert choice().distances.trained[i, j] == pytest.approx(expected, abs=1e-9)
    assert expected < np.sqrt(2)
    assert "Distances of one-hot vectors" in shown


@pytest.mark.parametrize("window, by_distance", [(1, False), (2, True), (5, False), (5, True)])
@pytest.mark.parametrize("threshold", [0.0, 1e-3])
def test_the_browser_counts_what_the_library_counts(window, by_distance, threshold):
    own = choice(window=window, by_distance=by_distance, threshold=threshold).reading
    given = {
        "ids": own.ids.tolist(),
        "places": np.flatnonzero(own.kept).tolist(),
        "window": window,
        "byDistance": by_distance,
        "rows": len(own.vocabulary),
    }
    body = """
    const rowOf = Int32Array.from({ length: given.rows }, (_, i) => i);
    const counted = countUpTo(given, given.places.length - 1, rowOf, given.rows);
    result = { counts: [...counted.counts], pairs: counted.pairs, alike: mostAlike(counted, 1, 3),
      around: contextOf(given, 0) };
    """
    found = evaluate({COUNTING: "contextOf, countUpTo, mostAlike"}, body, given)
    matrix = own.cooccurrence(window, by_distance)
    np.testing.assert_allclose(np.reshape(found["counts"], matrix.shape), matrix, atol=1e-12)
    assert found["pairs"] == len(own.pairs(window))
    cosines = reading.row_cosines(matrix)
    for row, value in found["alike"]:
        assert value == pytest.approx(cosines[1, row])
    assert found["around"] == [[i, i] for i in range(1, min(window, len(given["places"]) - 1) + 1)]


def test_what_is_sent_is_the_text_its_window_and_where_it_opens():
    app = opened(wthrow="0.001", wm=3, wcount=BY_DISTANCE)
    body = (
        "const { header, arrays } = decode(given); result = { header, ids: [...arrays.ids], kept: [...arrays.kept] };"
    )
    found = evaluate({DECODE: "decode"}, body, sent(app))
    own = choice(window=3, by_distance=True, threshold=1e-3).reading
    assert found["header"]["words"] == list(own.words) and found["header"]["window"] == 3
    assert found["header"]["byDistance"] and found["ids"] == own.ids.tolist()
    assert found["kept"] == own.kept.astype(int).tolist() and not own.kept.all()


def test_another_throw_has_another_seed_in_the_link():
    app = opened(wthrow="0.001")
    before = sent(app)
    [again] = [button for button in app.button if button.label == "Throw"]
    again.click().run()
    assert link_of(app)["wseed"] == "1" and sent(app) != before


@pytest.mark.parametrize("throw, count", [("off", ONE), ("0.001", BY_DISTANCE)])
def test_the_snippet_gives_the_numbers_of_the_page(throw, count):
    app = opened(wthrow=throw, wcount=count)
    scope = run_snippet(app)
    own = choice(by_distance=count == BY_DISTANCE, threshold=float(throw.replace("off", "0")))
    np.testing.assert_array_equal(scope["matrix"], own.matrix)
    assert scope["pairs"] == own.reading.pairs(2)


@pytest.mark.parametrize(
    "text, said", [("", "has 0"), ("  ...", "has 0"), ("word", "has 1")], ids=["empty", "marks", "one"]
)
def test_too_few_words_are_one_sentence_and_nothing_is_lost(text, said):
    app = opened(wtext=text, wm=4)
    assert_healthy(app)
    assert said in app.info[0].value and not by_title(app)
    app.text_input("wtext").set_value(DEFAULT_TEXT).run()
    assert len(by_title(app)) == 4 and app.slider("wm").value == 4


def test_ten_thousand_words_are_read_up_to_the_limit():
    app = opened(wtext="one two three four five " * 2000)
    assert_healthy(app)
    assert f"10,000 words; the first {LONGEST:,} are read" in words(app)
    assert len(sent(app)) < 50_000


@pytest.mark.parametrize(
    "text", ["the the the the", "我 爱 你 我 爱 他", "שלום עולם שלום", "😀 😀 a b", "<b>$x$</b> **b** `a`"]
)
def test_strange_texts_are_counted(text):
    app = opened(wtext=text, wthrow="0.0001")
    assert_healthy(app)
    assert "red-badge" not in words(app)


def test_unknown_words_have_no_vector_except_by_their_letters():
    app = opened(wtext=EXAMPLES["A word nobody knows"])
    assert "no vector for “zumi”" in words(app).replace("\\", "")
    assert "no vector for" not in words(opened(wtext=EXAMPLES["A word nobody knows"], wvm="words-fasttext"))
    app = opened(wtext=NO_BODY)
    assert_healthy(app)
    assert "fewer than two different words" in app.info[0].value


def test_a_text_of_which_nothing_stays_says_so():
    seed = next(s for s in range(300) if not choice("the the", threshold=1e-4, seed=s).kept)
    app = open_page(PAGE, {"wseed": str(seed)}, wtext="the the", wthrow="0.0001")
    assert_healthy(app)
    assert "press *Throw*" in words(app)


def test_the_link_says_where_the_window_is():
    app = open_page(PAGE, {"wat": "3"})
    body = "result = decode(given).header.state.at"
    assert evaluate({DECODE: "decode"}, body, sent(app)) == 3

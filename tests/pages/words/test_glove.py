"""The part GloVe of the page Word vectors, run as Streamlit runs it."""

import numpy as np
import pytest

import tlmviz
from pages.words.word_vectors.glove import data
from pages.words.word_vectors.glove.state import FIRST, ICE, OWN, PROBES, SECOND
from tests.pages.helpers import assert_healthy, by_title, charts, open_page, run_snippet, title_of, words
from tlmviz.analysis.words.text import split_words

PAGE = "words/word_vectors"


def opened(**session):
    return open_page(PAGE, wvpart="glove", **session)


def table(app):
    return app.dataframe[0].value


def test_it_opens_on_words_that_probes_tell_apart():
    app = opened()
    shown = list(by_title(app))
    assert len(shown) == 5 and "red-badge" not in words(app)
    rows = table(app).set_index("Probe k")
    wv = tlmviz.load("words-glove")
    i, j, k = (wv.index(word) for word in (FIRST, SECOND, "he"))
    counts, totals = wv.meetings.matrix, wv.meetings.totals
    assert rows.loc["he", "Xᵢ"] == pytest.approx(counts[i, k])
    assert rows.loc["he", "Ratio"] == pytest.approx(counts[i, k] / totals[i] / (counts[j, k] / totals[j]))
    b, b_tilde = wv.biases
    logs = [
        float(wv.vectors[row].double() @ wv.context_vectors[k].double() + b[row] + b_tilde[k])
        for row in (i, j)
    ]
    expected = np.exp(logs[0] - logs[1]) * totals[j] / totals[i]
    assert rows.loc["he", "Fitted"] == pytest.approx(expected, rel=1e-4)
    assert "“he”" in words(app) and "7 of 7 probes on the counted side" in words(app)


def test_the_table_of_errors_covers_every_count():
    _names, cells, shares, errors, _means = map(np.array, zip(*data.errors_by_count()))
    assert cells.sum() == tlmviz.load("words-glove").meetings.matrix.nnz
    assert shares.sum() == pytest.approx(1)
    squares = (cells * errors**2).sum() / cells.sum()
    assert np.sqrt(squares) == pytest.approx(data.fit().error(weighted=False))


def test_the_snippet_gives_the_numbers_of_the_page():
    app = opened()
    scope = run_snippet(app)
    np.testing.assert_allclose(scope["table"].ratios, table(app)["Ratio"])
    np.testing.assert_allclose(scope["fitted"], table(app)["Fitted"])
    assert f"{scope['fit'].error():.2f} weighed by f" in words(app)


def test_ones_own_text_is_counted_and_its_snippet_too():
    app = opened(gsource=OWN, gwi="ice", gwj="steam", gprobes="solid gas water fashion")
    assert_healthy(app)
    assert list(table(app)["Probe k"]) == ["solid", "gas", "water"] and "Fitted" not in table(app)
    assert "Not among your text, so left out: “fashion”" in words(app)
    own = split_words(ICE)
    met = sum(
        1 / abs(a - b)
        for a, one in enumerate(own)
        for b, other in enumerate(own)
        if (one, other) == ("ice", "solid") and abs(a - b) <= 5
    )
    assert table(app)["Xᵢ"][0] == pytest.approx(met)
    scope = run_snippet(app)
    np.testing.assert_allclose(scope["table"].ratios, table(app)["Ratio"])
    assert any("fitted to its own text" in part.value for part in app.info)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"gwi": ""}, "Give one word as i"),
        ({"gprobes": " ,; "}, "Give a few probes"),
        ({"gwi": "boy cold"}, "“boy” against"),
        ({"gwi": "zumi"}, "not in the vocabulary"),
        ({"gwj": "kyoto"}, "with the 1,500 most frequent"),
        ({"gprobes": "zumi"}, "not in the vocabulary"),
        ({"gwi": "我爱你"}, "not in the vocabulary"),
        ({"gwj": FIRST}, "so every ratio is 1"),
        ({"gprobes": " ".join(tlmviz.load("words-glove").vocabulary[:200])}, "probes were given; the first 12"),
        ({"gsource": OWN, "gtext": ""}, "Your text has no words"),
        ({"gsource": OWN, "gwi": "ice", "gwj": "zumi"}, "does not stand in your text"),
        ({"gsource": OWN, "gtext": "ice steam " * 5000, "gwi": "ice", "gwj": "steam", "gprobes": "ice"}, "10,000 words"),
    ],
)  # fmt: skip
def test_bad_input_is_a_sentence_and_nothing_is_lost(given, said):
    app = opened(**given)
    assert not app.exception
    told = [*app.error, *app.warning, *app.info]
    shown = " ".join(part.value.replace("\\", "") for part in told) + words(app)
    assert said in shown + " ".join(map(title_of, [] if told else charts(app)))
    app.text_input("gwi").set_value(FIRST)
    app.text_input("gwj").set_value(SECOND)
    app.text_input("gprobes").set_value(PROBES)
    if given.get("gsource"):
        app.text_input("gtext").set_value("the boy he and the girl she")
    app.run()
    assert_healthy(app)
    assert len(table(app)) in (1, 2, 7)


@pytest.mark.parametrize(
    "given, instead",
    [
        ({"gwi": "zumi"}, "The picture shows “boy”"),
        ({"gwj": "kyoto"}, "The picture shows “girl”"),
        ({"gwi": ""}, "The picture shows “boy”"),
        ({"gwi": "zumi", "gwj": "boy"}, "The picture shows “girl”"),
        ({"gprobes": "zumi kyoto"}, "The picture shows “he”, “his”"),
        ({"gsource": OWN, "gwi": "ice", "gwj": "zumi", "gprobes": "gas hot"}, "The picture shows “was”"),
    ],
)
def test_what_was_not_counted_is_one_sentence_and_the_page_stays(given, instead):
    app = opened(**given)
    assert_healthy(app)
    assert len(app.warning) == 1 and instead in app.warning[0].value.replace("\\", "")
    assert app.warning[0].value.count("The picture shows") == 1
    assert len(charts(app)) == len(charts(opened(**{key: given[key] for key in given if key == "gsource"})))
    np.testing.assert_allclose(run_snippet(app)["table"].ratios, table(app)["Ratio"])


def test_words_of_the_vocabulary_without_counts_are_rare():
    wv = tlmviz.load("words-glove")
    assert "kyoto" in wv and wv.index("kyoto") >= wv.meetings.size


@pytest.mark.parametrize("probes", ["<b>x</b> $y$ sun", "sun sun sun", "שלום sun", "hot cold sun"])
def test_strange_probes_are_read(probes):
    app = opened(gprobes=probes)
    assert_healthy(app)
    assert "sun" in list(table(app)["Probe k"]) and len(set(table(app)["Probe k"])) == len(table(app))


def test_a_hostile_link_shows_the_page():
    app = open_page(
        PAGE,
        {
            "wvpart": "glove",
            "gsource": "[]",
            "gwi": "hot",
            "gwj": "cold",
            "gprobes": "1e400 sun",
            "gtext": "1e400",
        },
    )
    assert_healthy(app)


def test_without_its_counts_the_model_says_so(monkeypatch):
    monkeypatch.setattr(data.models.model(data.MODEL), "meetings", None)
    with pytest.raises(tlmviz.Error, match="comes without its counts"):
        data.shipped()
    assert data.models.model(data.MODEL).kind == "glove"

"""The part GloVe of the page Word vectors, run as Streamlit runs it."""

import numpy as np
import pytest

import tlmviz
from pages.words.word_vectors.glove import claims, data, view
from pages.words.word_vectors.glove.state import FIRST, ICE, OWN, PROBES, SECOND, Ratio
from tests.pages.helpers import (
    assert_healthy,
    by_title,
    charted,
    charts,
    open_page,
    run_code,
    run_snippet,
    tabled,
    words,
)
from tests.pages.states import told
from tlmviz.analysis.words.text import split_words
from tlmviz.errors import BadText
from tlmviz.ui import frame

PAGE = "words/word_vectors"


def opened(**session):
    return open_page(PAGE, wvpart="glove", **session)


def ratio(**given) -> data.Data:
    """What the part shows of a state."""
    return data.Data(Ratio(**given))


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
    logs = [float(wv.vectors[row].double() @ wv.context_vectors[k].double() + b[row] + b_tilde[k]) for row in (i, j)]
    expected = np.exp(logs[0] - logs[1]) * totals[j] / totals[i]
    assert rows.loc["he", "Fitted"] == pytest.approx(expected, rel=1e-4)
    assert "“he”" in words(app) and "7 of 7 probes on the counted side" in words(app)


def test_the_table_of_errors_covers_every_count():
    _names, cells, shares, errors, _means = map(np.array, zip(*ratio().errors))
    assert cells.sum() == tlmviz.load("words-glove").meetings.matrix.nnz
    assert shares.sum() == pytest.approx(1)
    squares = (cells * errors**2).sum() / cells.sum()
    assert np.sqrt(squares) == pytest.approx(data.Data.fit().error(weighted=False))


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
        ({"first": ""}, "Give one word as i"),
        ({"probes": " ,; "}, "Give a few probes"),
        ({"first": "boy cold"}, "“boy” against"),
        ({"first": "zumi"}, "not in the vocabulary"),
        ({"second": "kyoto"}, "with the 1,500 most frequent"),
        ({"probes": "zumi"}, "not in the vocabulary"),
        ({"first": "我爱你"}, "not in the vocabulary"),
        ({"second": FIRST}, "so every ratio is 1"),
        ({"probes": " ".join(tlmviz.load("words-glove").vocabulary[:200])}, "probes were given; the first 12"),
        ({"source": OWN, "text": ""}, "Your text has no words"),
        ({"source": OWN, "first": "ice", "second": "zumi"}, "does not stand in your text"),
        (
            {"source": OWN, "text": "ice steam " * 5000, "first": "ice", "second": "steam", "probes": "ice"},
            "10,000 words",
        ),
    ],
)
def test_bad_input_is_a_sentence(given, said):
    found = ratio(**given)
    try:
        refused = claims.refused(found)
    except BadText as error:
        assert said in frame.worded(error)
        return
    assert said in f"{refused} {told(claims.CLAIMS, found)} {claims.title(found)}".replace("\\", "")
    assert charted(view.ratios, found) and charted(view.maps, found)


def test_after_bad_input_nothing_is_lost():
    app = opened(gsource=OWN, gtext="")
    assert [part.value for part in app.info] and not app.exception
    app.text_input("gtext").set_value("the boy he and the girl she").run()
    assert_healthy(app)
    assert app.text_input("gwi").value == FIRST and app.text_input("gprobes").value == PROBES
    assert len(table(app)) in (1, 2, 7)


@pytest.mark.parametrize(
    "given, instead",
    [
        ({"first": "zumi"}, "The picture shows “boy”"),
        ({"second": "kyoto"}, "The picture shows “girl”"),
        ({"first": ""}, "The picture shows “boy”"),
        ({"first": "zumi", "second": "boy"}, "The picture shows “girl”"),
        ({"probes": "zumi kyoto"}, "The picture shows “he”, “his”"),
        ({"source": OWN, "first": "ice", "second": "zumi", "probes": "gas hot"}, "The picture shows “was”"),
    ],
)
def test_what_was_not_counted_is_said_once_with_what_is_shown_instead(given, instead):
    found = ratio(**given)
    said = claims.refused(found).replace("\\", "")
    assert instead in said and said.count("The picture shows") == 1
    [rows] = tabled(view.ratios, found)
    np.testing.assert_allclose(run_code(view.snippet(found))["table"].ratios, rows["Ratio"])


def test_what_was_not_counted_is_one_warning_and_the_page_stays():
    app = opened(gwi="zumi")
    assert_healthy(app)
    assert len(app.warning) == 1 and "The picture shows “boy”" in app.warning[0].value.replace("\\", "")
    assert len(charts(app)) == 5


def test_words_of_the_vocabulary_without_counts_are_rare():
    wv = tlmviz.load("words-glove")
    assert "kyoto" in wv and wv.index("kyoto") >= wv.meetings.size


@pytest.mark.parametrize("probes", ["<b>x</b> $y$ sun", "sun sun sun", "שלום sun", "hot cold sun"])
def test_strange_probes_are_read(probes):
    [rows] = tabled(view.ratios, ratio(probes=probes))
    assert "sun" in list(rows["Probe k"]) and len(set(rows["Probe k"])) == len(rows)


def test_without_its_counts_the_model_says_so(monkeypatch):
    monkeypatch.setattr(data.models.model(data.MODEL), "meetings", None)
    with pytest.raises(tlmviz.Error, match="comes without its counts"):
        data.shipped()
    assert data.models.model(data.MODEL).kind == "glove"

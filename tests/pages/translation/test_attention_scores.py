"""The part Three scores of the page Alignment, run as Streamlit runs it, on tiny random models of every score."""

import numpy as np
import pytest

import tlmviz
from pages.translation.alignment.scores.data import apart
from pages.translation.alignment.scores.state import COMMON
from pages.translation.alignment.scores.state import EACH as OWN
from pages.translation.alignment.state import SCORES as PART
from tests import tiny
from tests.pages.helpers import SHOWN, anew, by_title, chart_size, only_models, open_alone, run_snippet, words
from tlmviz.ui import translation

PAGE = "translation/alignment"
TEXT, FRENCH = "Lily had a ball.", "Tom saw a dog."
SCORES = ("dot", "general", "additive", "coverage")


@pytest.fixture(scope="module", autouse=True)
def models(tokenizer, tmp_path_factory):
    """A folder of models, one of every kind."""
    networks = {
        name: tiny.translation_network(name, vocab_size=tokenizer.vocab_size, context=64)
        for name in ("transformer", *SCORES)
    }
    with (
        only_models(networks, tokenizer, tmp_path_factory.mktemp("models")) as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(translation, "ALIGNMENTS", folder / "none.tsv")
        yield folder


def opened(name="transformer", **session):
    return open_alone(PAGE, **{"mt": name, "english": TEXT, "aview": PART, **session})


def _ordered(cell) -> bool:
    """Whether a cell holds a range of times, or nothing."""
    low, high = map(float, cell.split(" – ")) if isinstance(cell, str) else (0, 0)
    return 0 <= low <= high


def test_the_default_shows_every_model_in_the_order_of_the_notes():
    app = opened()
    shown = list(by_title(app))
    assert [title.split(" (")[0] for title in shown[:4]] == ["Dot", "General", "Additive", "Additive + coverage"]
    assert len(shown) == 9 and "red-badge" not in words(app) and "SDPA = seq2seq" in words(app)
    [table] = app.dataframe
    assert list(table.value["Model"]) == list(SCORES) and table.value["Alignment error"].isna().all()
    assert all(map(_ordered, [*table.value["Score (ms)"], *table.value["Keys (ms)"]]))
    assert list(table.value["Parameters"])[:2] == [0, 144]
    assert chart_size(app) < 200_000


@pytest.mark.parametrize("name", SCORES)
def test_one_translation_for_all_and_its_snippet(name):
    app = opened(asone=COMMON, edfr=FRENCH, asin=name)
    by_title(app)
    scope, mt = run_snippet(app), tlmviz.load(name)
    assert scope["translation"] == [*mt.encode_target(FRENCH), mt.tokenizer.end_of_text]
    row = app.dataframe[0].value.set_index("Model").loc[name]
    assert row["Loss (nats)"] == pytest.approx(-scope["steps"].logp.mean(), abs=1e-3)
    assert row["Entropy (bits)"] == pytest.approx(scope["steps"].entropy.mean(), abs=1e-3)
    shown = [figure.layout.title.text.partition(" ")[0] for figure in scope[SHOWN]]
    assert shown[:3] == ["Attention", "Scores", "Shares"] and len(shown) == 3 + scope["steps"].product
    if scope["steps"].product:
        np.testing.assert_allclose(scope["mixture"], scope["steps"].context, atol=1e-5)
        assert f"{name}: q = h" in words(app)
    else:
        assert "mixture" not in scope and f"{name} has an additive score" in words(app)


def test_its_own_translation_is_in_the_snippet():
    app = opened("general", asone=OWN)
    assert app.selectbox("asin").value == "general"
    by_title(app)
    assert tuple(run_snippet(app)["translation"]) == tlmviz.load("general").search(TEXT).hypotheses()[0].tokens


def test_the_common_one_is_written_by_the_model_of_the_menu():
    app = opened(asone=COMMON)
    by_title(app)
    assert app.text_input("edfr").placeholder.startswith(tlmviz.load("transformer").translate(TEXT).text)


@pytest.mark.parametrize("index", [0, -1])
def test_the_ends_of_the_target_are_drawn(index):
    app = opened(asone=COMMON, edfr=FRENCH)
    options = app.selectbox("astok").options
    app.selectbox("astok").select_index(index % len(options)).run()
    assert len(by_title(app)) == 9 and options[0].startswith("1 · write")


@pytest.mark.parametrize("text, said", [("", "empty"), ("word " * 300, "shorten")])
def test_a_sentence_that_cannot_be_read_is_one_sentence(text, said):
    app = opened(english=text)
    assert not by_title(app) and said in [*app.info, *app.warning][0].value
    app.text_input("english").set_value(TEXT).run()
    assert len(by_title(app)) == 9


def test_a_translation_that_is_too_long_is_one_sentence():
    app = opened(asone=COMMON, edfr="mot " * 300)
    assert not by_title(app) and "shorten it" in app.warning[0].value


@pytest.mark.parametrize("text", ["😀😀", "<b>$x$</b> **b**"])
def test_strange_sentences_are_read(text):
    assert len(by_title(opened(english=text, asone=COMMON, edfr=text))) == 9


@pytest.mark.parametrize(
    "left, count, said",
    [
        (("transformer",), 0, "no recurrent translation model"),
        (("transformer", "additive"), 4, "no product of h with a key"),
        (("general",), 6, "k = W z"),
    ],
)
def test_absent_models_leave_the_rest_of_the_page(monkeypatch, left, count, said):
    monkeypatch.setattr(translation, "models", lambda: dict.fromkeys(left, ""))
    app = opened(left[0])
    assert len(by_title(app)) == count
    assert said in words(app) + " ".join(part.value for part in app.info)


def test_the_error_rate_is_measured_where_alignments_are(models, monkeypatch):
    path = models / "one.tsv"
    path.write_text("english\tfrench\tlinks\nTom saw a dog.\tTom saw a dog.\t0-0 1-1 2-2 3-3 4-4\n", encoding="utf-8")
    monkeypatch.setattr(translation, "ALIGNMENTS", path)
    with anew():
        rates = opened().dataframe[0].value["Alignment error"]
    assert rates.between(0, 1).all()


def test_times_that_overlap_say_nothing():
    slow, fast, other = np.linspace(5, 6, 31), np.linspace(1, 2, 31), np.linspace(1.4, 2.4, 31)
    assert apart([slow, fast]) == [(5.25, 5.75), (1.25, 1.75)]
    assert apart([slow, fast, other]) == [(5.25, 5.75), None, None]

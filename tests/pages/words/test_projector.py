"""The page "Projector", run as Streamlit runs it."""

from functools import partial

import numpy as np
import pytest

import tlmviz
from pages.words.projector import data as compute
from pages.words.projector.state import Projector
from tests.packed import unpacked
from tests.pages.helpers import SENT, SHOWN, assert_healthy, by_title, open_page, run_snippet, views, words
from tlmviz.analysis.words.analogies import RELATIONS, quadruples
from tlmviz.errors import UnknownName

PAGE = "words/projector"
opened = partial(open_page, PAGE)
START = {name: control.default for name, control in Projector.controls.items()}
DTYPES = {"uint8": np.uint8, "uint16": np.uint16, "float32": np.float32}


def chosen(**values) -> Projector:
    return Projector(**START | values)


def parts(app) -> dict[str, tuple[dict, dict]]:
    """Header and arrays of each component: the picture, and the points that are sent apart from it."""
    found = {}
    for part in views(app):
        if data := part.proto.bytes:
            assert len(data) < SENT
            found[part.proto.component_name.rpartition("_")[2]] = unpacked(data)
    assert found["projector"][0]["space"] == found["points"][0]["space"]
    return found


def sent(app) -> tuple[dict, dict]:
    """What the picture is drawn from: the header of the view and of the points, and the arrays."""
    found = parts(app)
    return found["points"][0] | found["projector"][0], found["points"][1]


def marked(app) -> dict:
    """What the picture was told of the chosen word."""
    return parts(app)["projector"][0]


@pytest.fixture(scope="module")
def wv():
    return tlmviz.load("words-negative")


def test_it_opens_on_a_word_with_its_neighbours(wv):
    app = opened()
    assert_healthy(app)
    header, arrays = sent(app)
    names = header["names"].split("\n")
    assert names == wv.vocabulary and "red-badge" not in words(app)
    assert "Axes hold their shares" in words(app) or "holds" in " ".join(part.label for part in app.expander)
    found = marked(app)
    assert names[found["row"]] == Projector.word.default
    expected = wv.neighbours(Projector.word.default, compute.NEAR)
    assert [names[row] for row in found["near"]] == [word for word, _ in expected]
    np.testing.assert_allclose(found["cosines"], [cosine for _, cosine in expected], atol=1e-5)
    np.testing.assert_array_equal(arrays["near"][found["row"]], found["near"])
    np.testing.assert_allclose(arrays["cosines"][found["row"]], found["cosines"], atol=1e-5)


def test_places_are_those_of_a_plain_svd(wv):
    _, arrays = sent(opened())
    rows = wv.space.double().numpy()
    rows = rows - rows.mean(0)
    _, _, directions = np.linalg.svd(rows, full_matrices=False)
    plain = rows @ directions[:2].T
    shown = arrays["places"][0].astype(float)
    for axis in (0, 1):
        assert abs(np.corrcoef(plain[:, axis], shown[:, axis])[0, 1]) > 1 - 1e-6


def test_the_film_ends_in_the_map(wv):
    app = opened({"wpv": "Film"})
    header, arrays = sent(app)
    film = wv.snapshots
    assert (
        arrays["places"].shape
        == (len(film.words_read), len(film.vocabulary), 2)
        == (len(header["film"]["at"]), len(header["names"].split("\n")), 2)
    )
    every = sent(opened())[1]["places"][0][: len(film.vocabulary)].astype(float)
    last = arrays["places"][-1].astype(float)
    for axis in (0, 1):
        assert np.corrcoef(every[:, axis], last[:, axis])[0, 1] > 0.999  # the same side up
    spread = arrays["places"].astype(float).std(1).max(1)
    assert spread[0] < 0.1 * spread[-1]
    losses = [loss for loss in header["film"]["losses"] if loss is not None]
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("name", sorted(tlmviz.list_models("words")))
def test_every_word_model_is_drawn(name):
    for side in compute.Data(Projector(model=name)).sides:
        app = opened({"wpm": name, "wps": side, "wpc": "rank"})
        assert_healthy(app)
        header, _ = sent(app)
        assert header["space"] == f"{name}|{side}|Map|PCA" and not header["large"]


@pytest.mark.parametrize("side, layer", [("embeddings", "token_emb"), ("unembeddings", "head")])
def test_a_language_models_tokens(side, layer):
    app = opened({"wpm": "stories-gpt", "wps": side, "wpw": "␣dog", "wpc": "kind"})
    names = sent(app)[0]["names"].split("\n")
    found = marked(app)
    lm = tlmviz.load("stories-gpt")
    assert lm.tokenizer.name(found["row"]) == " dog" and len(names) == lm.config.vocab_size
    weight = getattr(lm.network, layer).weight.detach().double().numpy()
    weight = weight / np.linalg.norm(weight, axis=1, keepdims=True)
    near = weight @ weight[found["row"]]
    near[found["row"]] = -1
    assert set(found["near"]) == set(np.argsort(-near)[: compute.NEAR].tolist())
    scope = run_snippet(app)
    np.testing.assert_array_equal(scope["vectors"].numpy(), getattr(lm.network, layer).weight.detach().numpy())
    assert len(scope[SHOWN]) == 1 and scope["names"] == names


def test_a_tied_model_has_one_side():
    assert compute.Data(Projector(model="stories-rope")).sides == ("embeddings",)
    assert compute.Data(Projector(model="words-hierarchical")).sides == ("words",)


@pytest.mark.parametrize(
    "query, said",
    [
        ({"wpw": "qwxz"}, "is not among the"),
        ({"wpw": "two words"}, "2 words"),
        ({"wpw": "a " * 10_000}, "10000 words"),
        ({"wpw": "слово"}, "is not among the"),
        ({"wpw": "<b>$x$</b>"}, "words"),
        ({"wpm": "stories-rope", "wpw": "unbelievable dragons"}, "no single token"),
        ({"wpm": "words-fasttext", "wps": "context words", "wpw": "dogggy"}, "no context vectors"),
        ({"wpv": "Film", "wpw": "xylophone"}, "is not among"),
    ],
)
def test_a_word_without_a_vector_is_one_sentence_and_the_points_stay(query, said):
    app = opened(query)
    [warning] = app.warning
    assert said in warning.value and len(warning.value) < 700 and not app.exception
    assert sent(app)[1]["places"].size and marked(app)["row"] == -1 and not marked(app)["near"]


def test_a_word_that_is_too_rare_for_the_film(wv):
    rare = wv.vocabulary[-1]
    app = opened({"wpv": "Film", "wpw": rare})
    assert f"number {len(wv.vocabulary):,}" in app.warning[0].value


def test_no_word_is_no_error():
    app = opened({"wpw": " "})
    assert_healthy(app)
    assert marked(app)["row"] == -1 and not app.warning


def test_fasttext_places_a_word_that_it_never_saw():
    app = opened({"wpm": "words-fasttext", "wpw": "doggish"})
    found = marked(app)
    assert_healthy(app)
    assert found["row"] == -1 and found["name"] == "doggish" and len(found["place"]) == 2
    fasttext = tlmviz.load("words-fasttext")
    expected = [word for word, _ in fasttext.neighbours("doggish", compute.NEAR)]
    assert [fasttext.vocabulary[row] for row in found["near"]] == expected


@pytest.mark.parametrize(
    "query",
    [
        {"wpm": "nobody", "wps": "?", "wpv": "9", "wpp": "UMAP", "wpc": "", "wpz": "nan,1,2", "wpf": "-7"},
        {"wpz": "1e400,0,1", "wpf": "1e99", "wpw": "1e400"},
        {"wpz": "0.5,0.5,99999", "wpv": "Film", "wpf": "999"},
        {"wps": "unembeddings"},
    ],
)
def test_hostile_links(query):
    app = opened(query)
    assert not app.exception and not app.error
    camera = marked(app)["state"]["camera"]
    assert camera is None or all(np.isfinite(camera)) and camera[2] <= 200


@pytest.mark.parametrize("model, said", [("stories-rope", "has no film"), ("words-negative", "context words")])
def test_no_film_is_one_sentence(model, said):
    app = opened({"wpv": "Film", "wpm": model, "wps": "context words"})
    assert said in app.info[0].value and not app.exception


def test_tsne_lays_out_the_most_frequent(monkeypatch, wv):
    monkeypatch.setattr(compute, "MOST", 60)
    compute.tsne_places.clear()
    app = opened({"wpp": "t-SNE", "wpw": wv.vocabulary[7]})
    assert_healthy(app)
    header, arrays = sent(app)
    assert len(header["names"].split("\n")) == 60 and "t-SNE" in header["title"] and len(arrays["near"]) == 60
    assert marked(app)["row"] == 7
    late = opened({"wpp": "t-SNE", "wpw": wv.vocabulary[99]})
    assert "the 60 most frequent" in late.warning[0].value
    compute.tsne_places.clear()


def test_the_analogy_and_its_snippet(wv):
    app = opened({"wpv": "Analogies"})
    shown = by_title(app)
    assert set(shown) == {
        "The plane through the three words (unit vectors)",
        "Nearest to b − a + c (cosine)",
        "Analogies that come out right (percent of all)",
    }
    best = wv.analogy(*compute.Data(chosen()).chosen.analogy, n=1)[0]
    assert f"**{best[0]}**" in words(app) and f"{best[1]:.3f}" in words(app)
    table = app.dataframe[0].value.set_index("Relation")
    rows = {word: row for row, word in enumerate(wv.vocabulary)}
    for relation, pairs in RELATIONS.items():
        assert table.loc[relation, "Analogies"] == len(quadruples(pairs, rows.get))
    run_snippet(app)


@pytest.mark.parametrize(
    "given, said",
    [(("he", "he", "dog"), "the sum is c itself"), (("he", "dog", "he"), "b itself"), (("he", "dog", "dog"), "2b − a")],
)
def test_the_same_word_twice_is_said(given, said):
    app = opened(dict(zip(("wpv", "wpa", "wpb", "wpq"), ("Analogies", *given))))
    assert_healthy(app)
    assert said in words(app).replace("\\", "")


@pytest.mark.parametrize("word", ["", "qwxz", "two words", "狗"])
def test_an_analogy_with_an_unknown_word_is_one_sentence(word):
    app = opened({"wpv": "Analogies", "wpb": word})
    assert not app.exception
    assert app.error or word == ""


def test_analogies_of_tokens():
    of_tokens = {"model": "stories-rope", "side": "embeddings", "view": "Analogies"}
    found = compute.Data(chosen(**of_tokens)).answer
    assert len(found.names) == compute.NEAR and not set(found.names) & {"␣boy", "␣girl", "␣he"}
    with pytest.raises(UnknownName, match="no single token"):
        _ = compute.Data(chosen(**of_tokens, third="xylophone")).answer
    app = opened({"wpv": "Analogies", "wpm": "stories-rope"})
    assert_healthy(app)
    run_snippet(app)

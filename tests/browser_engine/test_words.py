"""Word vectors in the browser: every bundled model gives Python's neighbours and analogies."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import tlmviz
from tests.browser_engine.engine import ask, moved, replaced
from tests.javascript.node import ROOT, evaluate
from tlmviz.analysis.words.ngrams import bucket, ngrams
from tlmviz.analysis.words.text import split_words
from tlmviz.errors import UnknownName

MODELS = ROOT / "models"
NAMES = sorted(path.parent.name for path in MODELS.glob("words-*/config.json"))
TIE = 1e-5  # cosines nearer than that may stand in either order
NEIGHBOURS = [
    ["dog", 10],
    ["Lily", 5],
    ["King!", 7],
    ["ball", 1],
    ["the", 30],
    ["happy", 0],
    ["don't", 10],
    ["don’t", 10],
    ["can", 5000],
    ["red", 10],
    ["mother", 10],
    ["walked", 10],
]
ANALOGIES = [
    ["boy", "girl", "king", 10],
    ["dog", "dogs", "cat", 5],
    ["he", "she", "his", 5],
    ["big", "bigger", "small", 5],
]
UNLEARNED = [["doggy", 8], ["naïvely", 8], ["Ωμέγα", 8], ["x", 8], ["fleuresque", 8], ["日本", 3]]
REFUSED = ["", "two words", "?!", "zzyzx"]
TEXTS = [
    "I can't!",
    "'tis  the ’season’ ʼ",
    "naïve café-crème, 3.14 and 1,000",
    "ΌΣΟΣ İstanbul ẞ",
    "a\u0301\u00ad\u200bb\tc\x1cd",
    "日本語 123 𝒜",
    "",
]


def check(found: list, expected: list) -> bool:
    """Whether words and cosines are Python's."""
    if len(found) != len(expected):
        return False
    off = max((abs(own - cosine) for (_, own), (_, cosine) in zip(found, expected)), default=0.0)
    cosines = dict(expected)
    return off < TIE and all(
        word == other or abs(cosines.get(word, own) - own) < TIE for (word, own), (other, _) in zip(found, expected)
    )


@pytest.mark.parametrize("name", NAMES)
def test_neighbours_and_analogies_are_pythons(name, tmp_path):
    model = tlmviz.load(name)
    asked = [*NEIGHBOURS, *(UNLEARNED if model.kind == "fasttext" else [])]
    run = {"kind": "words", "neighbours": asked, "analogy": ANALOGIES}
    _, *answers = ask(MODELS / name, [run], tmp_path)
    for given, answer in zip(asked, answers):
        assert check(answer.header["near"], model.neighbours(*given)), given
    for given, answer in zip(ANALOGIES, answers[len(asked) :], strict=True):
        assert check(answer.header["near"], model.analogy(*given)), given


@pytest.mark.parametrize("name", ["words-negative", "words-fasttext"])
def test_what_is_no_learned_word_is_one_sentence(name, tmp_path):
    model = tlmviz.load(name)
    words = REFUSED[: 3 if model.kind == "fasttext" else 4]
    _, *answers = ask(MODELS / name, [{"kind": "words", "neighbours": [[word] for word in words]}], tmp_path)
    for word, answer in zip(words, answers, strict=True):
        with pytest.raises(UnknownName):
            model.neighbours(word)
        assert answer.header["kind"] == "UnknownName" and answer.error.endswith(".")


def test_words_and_ngrams_are_pythons():
    body = """
const parts = given.words.map((word) => ngrams(word, 3, 6));
result = { split: given.texts.map(splitWords), parts, rows: parts.map((own) => own.map((part) => bucket(part, 8192))) };
"""
    words = ["where", "a", "naïve", "日本語", "don't", "𝒜𝒷𝒸"]
    imports = {"tlmviz/browser/word_vectors.js": "splitWords, ngrams, bucket"}
    found = evaluate(imports, body, {"texts": TEXTS, "words": words})
    assert found["split"] == [split_words(text) for text in TEXTS]
    assert found["parts"] == [ngrams(word) for word in words]
    assert found["rows"] == [[bucket(part, 8192) for part in ngrams(word)] for word in words]


@pytest.mark.parametrize("name", NAMES)
def test_another_number_in_any_tensor_is_noticed(name, tmp_path):
    """Of those that neighbours are made of: context vectors and biases count for GloVe's alone, and biases for none."""
    model, weights = tlmviz.load(name), load_file(MODELS / name / "model.safetensors")
    read = ("vectors", "parts", *(["context"] if model.kind == "glove" else []))
    names = [key for key in weights if key in read]
    changes = [{}, *({"changed": replaced(key, moved(weights[key]))} for key in names)]
    own, *others = ask(
        MODELS / name, [{"kind": "words", "neighbours": [["dog"]], **each} for each in changes], tmp_path
    )[1::2]
    expected = model.neighbours("dog")
    assert check(own.header["near"], expected)
    for key, answer in zip(names, others, strict=True):
        assert not check(answer.header["near"], expected), key


def test_a_field_that_is_read_is_noticed(tmp_path):
    model = tlmviz.load("words-fasttext")
    config = json.loads((MODELS / model.name / "config.json").read_text(encoding="utf-8"))
    configs = [
        {**config, **change} for change in ({"shortest": 4}, {"longest": 5}, {"method": "negative"}, {"method": "sum"})
    ]
    runs = [{"kind": "words", "config": json.dumps(each), "neighbours": [["doggy"]]} for each in configs]
    *answers, plain, unknown = ask(MODELS / model.name, runs, tmp_path)
    for answer in answers[1::2]:
        assert not check(answer.header["near"], model.neighbours("doggy"))
    assert "holds parts, which this model has no place for" in plain.error
    assert 'no method of word vectors "sum"' in unknown.error


@pytest.mark.parametrize("vocabulary", ["", "a\t1\nb\t1\n", "a\t1\n" * 4271])
def test_a_damaged_vocabulary_is_one_sentence(vocabulary, tmp_path):
    [answer] = ask(MODELS / "words-negative", [{"kind": "words", "vocabulary": vocabulary}], tmp_path)
    assert answer.header["kind"] == "BadCheckpoint" and "they belong to different models." in answer.error


def test_vectors_of_unlearned_words_are_means_of_their_parts():
    """What Python's model says of one, so that the gate above compares what it means to."""
    model = tlmviz.load("words-fasttext")
    parts = torch.stack([part.vector for part in model.parts("doggy")])
    np.testing.assert_allclose(model.vector("doggy"), parts.mean(0))

"""The identities of word vectors on every method: which apply, and that they pass; what a text without words is
told."""

import pytest

import tlmviz
from tests import tiny
from tlmviz import checks
from tlmviz.errors import BadText

ALWAYS = {"Gradient = autograd", "Pairs = formula"}
OWN = {
    "skipgram": {"Softmax over words = 1"},
    "hierarchical": {"Tree sums to 1", "Probability = path product"},
    "fasttext": {"Vector = mean of parts"},
}


@pytest.mark.parametrize("method", tiny.WORDS)
@pytest.mark.parametrize("text", [tiny.TEXT, "Lily ball", "a " + "lily had a red ball and tom saw a big dog " * 20])
def test_what_applies_passes(method, text):
    wv = tiny.word_vectors(method)
    results = checks.run_all(wv, text)
    names = {result.name for result in results}
    others = set.union(*OWN.values()) - OWN.get(method, set())
    assert ALWAYS | OWN.get(method, set()) <= names and not others & names
    assert [result for result in results if not result.passed] == []


@pytest.mark.parametrize("name", tlmviz.list_models("words"))
def test_bundled_ones_pass_on_their_own_text(name):
    wv = tlmviz.load(name)
    results = checks.run_all(wv, wv.default_text)
    assert results and [result for result in results if not result.passed] == []


@pytest.mark.parametrize("text", ["", "Lily", "Lily Lily", "…", "Где кот", "xyzzy blorf"])
def test_a_text_of_too_few_words_is_one_sentence(text):
    with pytest.raises(BadText) as error:
        checks.run_all(tiny.word_vectors("negative"), text)
    assert "two" in tiny.sentence(error)


def test_other_models_have_none_of_them(lm):
    names = ALWAYS | set.union(*OWN.values())
    assert not names & {entry.name for entry in checks.applicable(lm)}

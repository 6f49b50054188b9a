"""The public face of the pointer-sentinel mixture: the parts, their sum, unknown words, and what cannot be read."""

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz.checkpoints import native
from tlmviz.errors import BadCheckpoint, BadText
from tlmviz.tokens.whole_words import UNKNOWN, WordTokenizer

TEXT = "Zorbo saw the red ball. Mimmo's dog was Zorbo, and the ball was red."


@pytest.fixture(scope="module", params=[True, False], ids=["pointer", "plain"])
def model(request):
    return tiny.mixture_model(request.param)


def test_the_parts_of_a_mixture(model):
    mix = model.mixture(TEXT)
    count, columns = len(mix.tokens), len(mix.words)
    assert mix.tokens[:3] == ["Zorbo", "saw", "the"] and [mix.words[i] for i in mix.ids] == mix.tokens
    assert mix.unknown[0] == "Zorbo" and "Mimmo" in mix.unknown and columns == mix.size + len(mix.unknown)
    assert mix.gate.shape == (count,) and mix.pointer.shape == (count, count)
    assert mix.vocabulary.shape == mix.mixed.shape == (count, columns)
    np.testing.assert_allclose(mix.mixed.sum(1), 1, atol=1e-5)
    np.testing.assert_allclose(mix.vocabulary.sum(1), 1, atol=1e-5)
    assert not mix.vocabulary[:, mix.size :].any() and not np.triu(mix.pointer, 1).any()
    if model.config.pointer:
        np.testing.assert_allclose(mix.pointer.sum(1), 1, atol=1e-5)
        assert (mix.gate < 1).all() and (mix.mixed[0, mix.size] > 0)
    else:
        assert (mix.gate == 1).all() and not mix.pointer.any() and np.array_equal(mix.mixed, mix.vocabulary)


def test_a_row_depends_on_what_was_read_alone(model):
    whole, begun = model.mixture(TEXT), model.mixture("Zorbo saw the red ball.")
    count = len(begun.tokens)
    np.testing.assert_allclose(whole.gate[:count], begun.gate, atol=1e-6)
    np.testing.assert_allclose(whole.mixed[:count, : begun.size], begun.mixed[:, : begun.size], atol=1e-6)


def test_probabilities_of_the_text(model):
    mix = model.mixture(TEXT)
    p = mix.probabilities()
    again = mix.tokens.index("Zorbo", 1) - 1
    if model.config.pointer:
        assert p[again] == pytest.approx((1 - mix.gate[again]) * mix.pointer[again, 0], abs=1e-6)
    else:
        assert p[again] == mix.mixed[again, 1] and mix.words[1] == UNKNOWN
    assert p[1] == pytest.approx(mix.mixed[1, mix.ids[2]]) and len(p) == len(mix.tokens) - 1


def test_one_word(model):
    mix = model.mixture("Zorbo")
    assert mix.tokens == ["Zorbo"] and mix.probabilities().shape == (0,) and np.isclose(mix.mixed.sum(), 1)


def test_a_script_it_never_saw(model):
    assert model.mixture("猫が いる 猫が").unknown == ["猫が", "いる"]


@pytest.mark.parametrize("text, why", [("", "no words"), (" \n", "no words"), ("ball " * 61, "61")])
def test_a_text_that_cannot_be_read(model, text, why):
    with pytest.raises(BadText) as error:
        model.mixture(text)
    assert why in sentence(error)


def test_what_is_saved_is_loaded(model, tmp_path):
    native.save_network(tmp_path / "tiny", model.network, model.tokenizer, torch.float32)
    again = tlmviz.load(tmp_path / "tiny")
    assert isinstance(again, tlmviz.MixtureModel) and f"{again.tokenizer.vocab_size:,} words" in again.sizes
    np.testing.assert_allclose(again.mixture(TEXT).mixed, model.mixture(TEXT).mixed, atol=1e-6)


def test_a_vocabulary_of_another_size_is_refused(model, tmp_path):
    folder = tmp_path / "tiny"
    native.save_network(folder, model.network, model.tokenizer)
    (folder / "tokenizer.json").write_text(WordTokenizer.train(tiny.SENTENCES, 1).to_json())
    with pytest.raises(BadCheckpoint) as error:
        tlmviz.load(folder)
    assert "different models" in sentence(error)


@pytest.mark.parametrize("text", ["{", "{}", None])
def test_what_is_no_vocabulary_is_refused(model, tmp_path, text, tokenizer):
    native.save_network(tmp_path / "tiny", model.network, model.tokenizer)
    (tmp_path / "tiny" / "tokenizer.json").write_text(tokenizer.to_json() if text is None else text)
    with pytest.raises(BadCheckpoint):
        tlmviz.load(tmp_path / "tiny")


class TestWords:
    def test_words_marks_and_endings(self):
        words = WordTokenizer.train(['Lily\'s ball. "Don’t!" said Lily.'], 1)
        found = words.encode('Lily’s ball. "Don\'t!" said Tom_1.')
        assert found.tokens == ["Lily", "'s", "ball", ".", '"', "Don", "'t", "!", '"', "said", "Tom_1", "."]
        assert found.new == ["Tom_1"] and found.columns[-2] == words.vocab_size and found.ids[-2] == 1

    def test_the_most_frequent_words_come_first(self):
        words = WordTokenizer.train(["b a c", "b a", "b a b d"], 2)
        assert words.words == ["⟨end⟩", UNKNOWN, "b", "a"]
        assert WordTokenizer.load is not None and words.encode("⟨end⟩").ids == [1, 1, 1]

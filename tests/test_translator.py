"""Translators from outside: what goes in, what comes out, and what is refused in one sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tlmviz
from tlmviz.checkpoints import native as zoo
from tlmviz.checkpoints import registry
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties
from tlmviz.errors import BadCheckpoint, BadSearch, BadText
from tlmviz.facades.translator import tidy

from . import tiny
from .tiny import sentence

TEXT = "Tom saw a big dog."


@pytest.fixture(scope="module", params=tiny.TRANSLATORS)
def mt(request, tokenizer):
    return tiny.translator(tokenizer, request.param)


@pytest.fixture(scope="module")
def transformer(tokenizer):
    return tiny.translator(tokenizer, alignment=(1, 0))


def test_a_translation_is_whole(mt):
    found = mt.translate(TEXT, beam=3)
    assert found.source == [mt.tokenizer.name(i) for i in mt.encode(TEXT)]
    assert found.attention.shape == (len(found.tokens), len(found.source)) and len(found.logps) == len(found.tokens)
    np.testing.assert_allclose(found.attention.sum(1), 1, atol=1e-5)
    assert found.score == found.parts.total and found.parts.logp == pytest.approx(sum(found.logps))
    assert len(found.others) <= 2 and found.stopped
    assert found.finished == ("finished" in set(found.tree.state))
    best = found.tree[found.tree.state == "finished"] if found.finished else found.tree[found.tree.state == "kept"]
    assert best.score.max() == pytest.approx(found.score, abs=1e-5) or not found.finished


def test_reading_a_translation_gives_what_writing_it_gave(mt):
    best = mt.search(TEXT, BeamOptions(width=3)).hypotheses()[0]
    read = mt.read(TEXT, list(best.tokens))
    np.testing.assert_allclose(read.logp, best.logps, atol=1e-4)
    np.testing.assert_allclose(read.attention, best.attention, atol=1e-4)


def test_no_translation_has_no_tokens(mt):
    read = mt.read(TEXT, [])
    assert read.logp.shape == (0,) and read.attention.shape == (0, len(mt.maps), len(mt.encode(TEXT)))


def test_longest(mt):
    short = "Tom"
    assert mt.longest(short) == min(40, 3 * len(mt.encode(short)) + 10)
    found = mt.search(short, BeamOptions(width=2, banned=frozenset({mt.tokenizer.end_of_text})))
    assert {len(one.tokens) for one in found.hypotheses()} == {mt.longest(short)}


def test_a_beginning_is_kept(mt):
    prefix = tuple(mt.encode_target("The dog"))
    found = mt.search(TEXT, BeamOptions(width=2, prefix=prefix)).hypotheses()[0]
    assert found.tokens[: len(prefix)] == prefix and mt.text(found.tokens).startswith("The dog")
    assert mt.encode_target("  ") == []


def test_pins_are_rows_of_the_map(mt):
    found = mt.search(TEXT, BeamOptions(width=2, min_length=5), pins={0: 2, 3: 0}).hypotheses()[0]
    source = len(mt.encode(TEXT))
    for align in range(len(mt.maps)):
        for step, place in {0: 2, 3: 0}.items():
            assert found.map(align)[step].tolist() == np.eye(source)[place].tolist()
        assert found.map(align)[1].max() < 1


def test_maps_have_names_and_one_counts(mt, transformer):
    step = mt.stepper(TEXT)
    found = mt.search(TEXT).hypotheses()[0]
    assert len(mt.maps) == found.attention.shape[1] == (4 if hasattr(step, "keys") else 1)
    assert mt.align == (None if len(mt.maps) == 4 else 0)
    assert transformer.maps[transformer.align] == "1.0"
    assert transformer.search(TEXT).align == 2 and transformer.search(TEXT, BeamOptions(align=3)).align == 3


def test_penalties_reach_the_search(mt):
    weights = dict(alpha=0.9, beta=0.7, gamma=0.2)
    found = mt.translate(TEXT, **weights)
    assert found.parts == mt.search(TEXT, BeamOptions(penalties=Penalties(**weights))).hypotheses()[0].parts


def test_what_is_counted(mt):
    assert mt.n_parameters == sum(p.numel() for p in mt.network.parameters())
    assert mt.config is mt.network.config and mt.name == "tiny"


@pytest.mark.parametrize(
    "given, wanted",
    [
        ("  I  am\tcold. ", "I am cold."),
        ("it\u2019s", "it's"),
        ("a\u00a0b\u202fc\u200bd", "a b c d"),
        ("\n\n", ""),
        ("a\u3000b", "a b"),
    ],
)
def test_tidy(given, wanted):
    assert tidy(given) == wanted


@given(st.text(max_size=30))
def test_tidying_twice_changes_nothing(text):
    assert tidy(tidy(text)) == tidy(text) and "  " not in tidy(text)


def test_ids_are_those_of_the_tidy_text(transformer):
    assert transformer.encode("  Tom  saw ") == transformer.encode("Tom saw") == transformer.tokenizer.encode("Tom saw")


@pytest.mark.parametrize("text", ["", "   ", "\u200b\n"])
def test_nothing_is_refused(transformer, text):
    for call in (transformer.translate, transformer.encode, transformer.stepper, transformer.longest):
        with pytest.raises(BadText) as error:
            call(text)
        assert "empty" in sentence(error)


def test_too_much_is_refused(transformer):
    with pytest.raises(BadText) as error:
        transformer.translate("word " * 10_000)
    assert "40,000 tokens" in sentence(error) and "at most 40 tokens" in str(error.value)


@pytest.mark.parametrize("pins", [{0: 99}, {-1: 0}, {0: -1}])
def test_a_pin_needs_a_source_token(transformer, pins):
    with pytest.raises(BadText) as error:
        transformer.search(TEXT, pins=pins)
    assert "tokens 0 to" in sentence(error)


@pytest.mark.parametrize(
    "settings, said",
    [
        (dict(beam=0), "width is 0"),
        (dict(beam=21), "width is 21"),
        (dict(alpha=-1), "alpha"),
        (dict(beta=-1), "beta"),
        (dict(gamma=-1), "gamma"),
        (dict(max_length=0), "max_length"),
        (dict(n_best=9), "n_best"),
    ],
)
def test_bad_settings_give_a_sentence(transformer, settings, said):
    with pytest.raises(BadSearch) as error:
        transformer.translate(TEXT, **settings)
    assert said in sentence(error)


@pytest.mark.parametrize(
    "text", ["\U0001f600\U0001f600", "\ud83d", "<|endoftext|>", "\u4f60\u597d", "x\x00y", "...", "1 000"]
)
def test_any_characters_are_translated(transformer, text):
    assert isinstance(transformer.translate(text, beam=2).text, str)


def test_familiar(transformer):
    assert transformer.familiar("Hi!") == transformer.familiar(TEXT) == 1
    assert transformer.familiar("\U0001f600") == 0
    assert 0 < transformer.familiar("dog \U0001f600") < 1


class TestCheckpoints:
    @pytest.fixture
    def folder(self, mt, tmp_path):
        zoo.save_network(tmp_path / "tiny", mt.network, mt.tokenizer)
        return tmp_path / "tiny"

    def test_a_translator_comes_back(self, folder, mt):
        again = tlmviz.load(folder)
        assert type(again) is type(mt) and again.config == mt.config
        ids = mt.encode_target("The end.")
        assert again.read(TEXT, ids).logp == pytest.approx(mt.read(TEXT, ids).logp, abs=0.1)
        assert not any(p.requires_grad for p in again.network.parameters()) and not again.network.training

    def test_every_weight_is_kept_in_float32(self, mt, tmp_path):
        zoo.save_network(tmp_path / "tiny", mt.network, mt.tokenizer, dtype=next(mt.network.parameters()).dtype)
        again = tlmviz.load(tmp_path / "tiny")
        assert again.read(TEXT, [5, 6, 7]).logp == pytest.approx(mt.read(TEXT, [5, 6, 7]).logp, abs=1e-5)

    def test_an_unknown_kind_is_named(self, folder):
        path = folder / "config.json"
        path.write_text(path.read_text().replace('"kind": "', '"kind": "x'))
        with pytest.raises(BadCheckpoint) as error:
            tlmviz.load(folder)
        assert "'x" in sentence(error) and "encoder-decoder or seq2seq" in str(error.value)

    def test_a_language_model_is_still_one(self, lm, tmp_path):
        zoo.save_network(tmp_path / "lm", lm.network, lm.tokenizer)
        assert isinstance(tlmviz.load(tmp_path / "lm"), tlmviz.LanguageModel)


def test_lists_by_task(mt, lm, tmp_path, monkeypatch):
    zoo.save_network(tmp_path / "mt", mt.network, mt.tokenizer)
    zoo.save_network(tmp_path / "lm", lm.network, lm.tokenizer)
    monkeypatch.setenv("TLMVIZ_MODELS", str(tmp_path))
    assert set(registry.list_models("translation")) == {"mt"} and set(registry.list_models("language")) == {"lm"}
    assert set(registry.list_models()) == {"mt", "lm"}

"""Configurations of translators: JSON and back, and one sentence for each that cannot be."""

import pytest

from tlmviz.checkpoints.registry import KINDS
from tlmviz.config import SCORES, EncoderDecoderConfig, Seq2SeqConfig
from tlmviz.errors import BadConfig

from .tiny import sentence


@pytest.mark.parametrize(
    "config",
    [
        EncoderDecoderConfig("a"),
        EncoderDecoderConfig.of("a", description="b", alignment=(1, 2), norm="layernorm", bias=True),
        Seq2SeqConfig("b"),
        Seq2SeqConfig.of("b", score="additive", coverage=True, dropout=0.3),
    ],
)
def test_json_and_back(config):
    again = KINDS[config.kind].config.from_json(config.to_json())
    assert again == config and type(again) is type(config)


def test_kinds_are_the_names_in_config_json():
    translators = {kind: row.config for kind, row in KINDS.items() if row.task == "translation"}
    assert {kind: config("x").kind for kind, config in translators.items()} == {kind: kind for kind in translators}


def test_derived_sizes():
    config = EncoderDecoderConfig.of("a", d_model=48, n_heads=4)
    assert (config.head_dim, config.n_kv_heads, config.attention.window, config.attention.dropout) == (12, 4, None, 0.0)


def test_an_alignment_from_json_is_a_tuple():
    assert EncoderDecoderConfig("a", alignment=[0, 5]).alignment == (0, 5)


@pytest.mark.parametrize(
    "settings, said",
    [
        (dict(kind="seq2seq"), "seq2seq"),
        (dict(norm="batch"), "batch"),
        (dict(feedforward="x"), "x"),
        (dict(vocab_size=0), "vocab_size"),
        (dict(decoder_layers=-1), "decoder_layers"),
        (dict(context=2.5), "context"),
        (dict(d_model=100, n_heads=3), "d_model 100 over n_heads 3"),
        (dict(d_model=12, n_heads=4), "even head dimension"),
        (dict(rope_base=0.0), "rope_base is 0.0"),
        (dict(rope_base=float("nan")), "rope_base is nan"),
        (dict(bias="no"), "bias"),
        (dict(name=3), "name"),
        (dict(dropout=1.0), "dropout"),
        (dict(alignment=(3, 0)), "(3, 0)"),
        (dict(alignment=[0]), "[0]"),
        (dict(alignment=(0, -1)), "(0, -1)"),
        (dict(alignment=(True, 0)), "(True, 0)"),
        (dict(alignment=5), "alignment is 5"),
        (dict(alignment="00"), "alignment is 00"),
    ],
)
def test_impossible_transformers(settings, said):
    with pytest.raises(BadConfig) as error:
        EncoderDecoderConfig.of(**{"name": "a", **settings})
    assert said in sentence(error)


@pytest.mark.parametrize(
    "settings, said",
    [
        (dict(kind="gru"), "gru"),
        (dict(score="cosine"), "cosine"),
        (dict(hidden=7), "hidden is 7"),
        (dict(d_model=0), "d_model"),
        (dict(coverage=True), "score is 'general'"),
        (dict(coverage=1), "coverage"),
        (dict(dropout=-0.1), "dropout"),
        (dict(context=0), "context"),
        (dict(name=None), "name"),
    ],
)
def test_impossible_recurrent_networks(settings, said):
    with pytest.raises(BadConfig) as error:
        Seq2SeqConfig.of(**{"name": "b", **settings})
    assert said in sentence(error)


@pytest.mark.parametrize("score", SCORES)
def test_every_score_has_a_configuration(score):
    assert Seq2SeqConfig.of("b", score=score).score.kind == score

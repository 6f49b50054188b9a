"""Model configurations: what is possible, what is not, and the way through JSON."""

import json
from dataclasses import FrozenInstanceError, fields

import pytest

from tlmviz.config import (
    AttentionConfig,
    ConnectionConfig,
    FeedForwardConfig,
    LayerConfig,
    ModelConfig,
    NormConfig,
    PositionsConfig,
    notes_preset,
    with_plain_attention,
)
from tlmviz.errors import BadConfig

from .tiny import config, sentence


def test_json_round_trip_keeps_every_field():
    original = config(description="ü", positions="alibi", window=7, n_kv_heads=2, dropout=0.25, tied=False)
    assert ModelConfig.from_json(original.to_json()) == original
    assert set(json.loads(original.to_json())) == {field.name for field in fields(ModelConfig)}


def test_missing_fields_take_defaults():
    assert ModelConfig.from_json('{"name": "a"}') == ModelConfig(name="a")


@pytest.mark.parametrize(
    "change, word",
    [
        (dict(positions="polar"), "rope"),
        (dict(norm="batchnorm"), "rmsnorm"),
        (dict(norm_place="middle"), "pre"),
        (dict(feedforward="tanh"), "swiglu"),
        (dict(n_layers=0), "n_layers"),
        (dict(n_layers=10**9), "1,000 layers at most"),
        (dict(vocab_size=2.5), "vocab_size"),
        (dict(context=True), "context"),
        (dict(d_model=30), "n_heads"),
        (dict(n_kv_heads=3), "multiple"),
        (dict(d_model=12, n_heads=4), "even"),
        (dict(window=0), "window"),
        (dict(window=2.5), "window"),
        (dict(rope_base=0), "rope_base"),
        (dict(rope_base=float("inf")), "rope_base"),
        (dict(dropout=1.0), "dropout"),
        (dict(attention_dropout=float("nan")), "attention.dropout"),
        (dict(bias="no"), "bias"),
        (dict(description=5), "description"),
    ],
)
def test_impossible_models_are_refused(change, word):
    with pytest.raises(BadConfig) as error:
        config(**change)
    assert word in sentence(error)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"name"',
        "{}",
        '{"name": "a", "colour": 1}',
        '{"name": "a", "dropout": "x"}',
        '{"name": "a", "rope_base": null}',
        '{"name": 5}',
        '{"name": "a", "positions": {"kind": {}}}',
        "[" * 100_000,
    ],
)
def test_malformed_json_is_refused(text):
    with pytest.raises(BadConfig) as error:
        ModelConfig.from_json(text)
    sentence(error)


@pytest.mark.parametrize(
    "changes",
    [
        dict(latent_dim=0),
        dict(latent_dim=8),
        dict(latent_dim=8, rope_dim=3),
        dict(rope_dim=4),
        dict(rope_dim=-2),
        dict(latent_dim=8, rope_dim=4, positions="none"),
        dict(latent_dim=8, rope_dim=4, positions="alibi"),
        dict(latent_dim=8, rope_dim=4, n_kv_heads=2),
        dict(latent_dim=8, rope_dim=4, bias=True),
        dict(latent_dim=True, rope_dim=4),
        dict(latent_dim=8, rope_dim=4.0),
        dict(query_latent_dim=8),
        dict(latent_dim=8, rope_dim=4, query_latent_dim=0),
        dict(latent_dim=8, rope_dim=4, query_latent_dim=True),
        dict(latent_dim=8, rope_dim=4, query_latent_dim=6.0),
        dict(positions="relative", relative_distance=0),
    ],
)
def test_latent_parts_fit_together(changes):
    with pytest.raises(BadConfig) as error:
        config(**changes)
    sentence(error)


def test_latent_attention_has_rope_or_no_positions():
    assert config(latent_dim=8, rope_dim=4).attention.latent_dim == 8
    assert config(latent_dim=8, positions="none", d_model=12, n_heads=4).head_dim == 3


def test_the_size_of_c_q_is_an_option_of_latent_attention():
    plain = config(latent_dim=8, rope_dim=4)
    small = plain.with_(query_latent_dim=6)
    assert plain.attention.query_latent_dim is None and small.attention.query_latent_dim == 6
    assert ModelConfig.from_json(small.to_json()) == small != plain
    with pytest.raises(BadConfig) as error:
        config(query_latent_dim=6)
    assert "query_latent_dim is 6" in sentence(error) and "latent_dim too" in sentence(error)


def test_odd_heads_are_fine_without_rope():
    assert config(d_model=12, n_heads=4, positions="alibi").head_dim == 3


def test_changes_are_checked_and_the_original_stays():
    original = config()
    assert original.with_(window=3).attention.window == 3 and original.attention.window is None
    with pytest.raises(BadConfig):
        original.with_(n_heads=5)
    with pytest.raises(FrozenInstanceError):
        original.attention.window = 3


def test_notes_preset_fixes_the_parts_and_takes_the_sizes():
    notes = notes_preset(n_heads=4, d_model=32, n_layers=3)
    parts = (
        notes.positions.kind,
        notes.norm.kind,
        notes.norm.placement,
        notes.feedforward.kind,
        notes.feedforward.bias,
        notes.tied,
        notes.attention.window,
    )
    assert parts == ("learned", "layernorm", "pre", "gelu", True, False, None)
    assert notes.attention.biases == (True, True, True, True)
    assert (notes.n_kv_heads, notes.n_layers, notes.head_dim) == (4, 3, 8)


def test_a_flat_file_is_read_into_parts():
    """Files written before the parts were nested."""
    flat = dict(
        name="old",
        n_heads=8,
        n_kv_heads=2,
        d_model=64,
        d_ff=96,
        positions="rope",
        rope_base=500.0,
        norm="layernorm",
        norm_place="pre",
        feedforward="gelu",
        bias=True,
        tied=False,
        window=16,
        latent_dim=None,
        rope_dim=0,
        relative_distance=8,
        connection="hyper",
        streams=3,
        sinkhorn=7,
        dropout=0.1,
        attention_dropout=0.2,
    )
    read = ModelConfig.from_json(json.dumps(flat))
    assert (read.n_heads, read.n_kv_heads, read.head_dim, read.d_model) == (8, 2, 8, 64)
    attention = AttentionConfig(8, 2, window=16, q_bias=True, k_bias=True, v_bias=True, o_bias=True, dropout=0.2)
    assert read.attention == attention
    assert read.positions == PositionsConfig(rope_base=500.0, distances=8)
    assert read.norm == NormConfig("layernorm") and read.feedforward == FeedForwardConfig("gelu", 96, True)
    assert read.connection == ConnectionConfig("hyper", 3, 7, bound=None) and (read.tied, read.dropout) == (False, 0.1)


def test_parts_are_given_as_objects_fields_or_kinds():
    part = PositionsConfig("rope", rope_base=500.0)
    wanted = ModelConfig(name="a", positions=part)
    for positions in (part, {"kind": "rope", "rope_base": 500.0}):
        assert ModelConfig.of("a", positions=positions) == wanted
    assert ModelConfig.of("a", rope_base=500.0) == ModelConfig.of("a", positions="rope", rope_base=500.0) == wanted
    assert ModelConfig.of("a").with_(positions={"rope_base": 500.0}) == wanted


def test_the_head_dimension_is_the_models_choice():
    assert config().head_dim == 8 and config(head_dim=5, positions="none").head_dim == 5
    assert config(d_model=30, head_dim=8).head_dim == 8


def test_layers_say_where_they_differ():
    alike = config(window=5, rope_base=100.0)
    assert alike.layer(1) == LayerConfig(5, 100.0) and alike.layers == ()
    mixed = config(rope_base=100.0, layers=[{"window": 4, "rope_base": 20.0}, {"window": None}])
    assert mixed.layers == (LayerConfig(4, 20.0), LayerConfig())
    assert mixed.layer(0) == LayerConfig(4, 20.0) and mixed.layer(1) == LayerConfig(None, 100.0)
    assert ModelConfig.from_json(mixed.to_json()) == mixed


@pytest.mark.parametrize(
    "change, word",
    [
        (dict(attention={"n_heads": 4, "colour": 1}), "attention.colour"),
        (dict(attention=5), "attention"),
        (dict(norm={"eps": 0.0}), "norm.eps"),
        (dict(attention={"scale": -1.0}), "attention.scale"),
        (dict(head_dim=0), "attention.head_dim"),
        (dict(head_dim=5), "even"),
        (dict(positions={"layout": "sideways"}), "interleaved"),
        (dict(positions={"scaling": "magic"}), "yarn"),
        (dict(layers=({"window": 4},)), "1 entries"),
        (dict(layers=({"window": 0}, {})), "layers.window"),
        (dict(layers=({"depth": 0}, {})), "layers"),
        (dict(layers=(3, {})), "layers"),
        (dict(layers=3), "layers"),
        (dict(window=3, layers=({"window": 4}, {})), "attention.window"),
        (dict(connection="hyper", streams=3, norm_place="post"), "norm_place"),
        (dict(streams=2), "plain residual"),
    ],
)
def test_impossible_parts_are_refused(change, word):
    with pytest.raises(BadConfig) as error:
        config(**change)
    assert word in sentence(error)


def test_models_that_differ_in_what_they_cache_are_equal_without_it():
    group, latent = config(n_kv_heads=2, window=5), config(latent_dim=8, rope_dim=4)
    assert with_plain_attention(group) == with_plain_attention(latent) == with_plain_attention(config())
    assert with_plain_attention(latent.with_(query_latent_dim=6)) == with_plain_attention(config())
    assert with_plain_attention(config(d_ff=64)) != with_plain_attention(config())

"""Model configurations: what is possible, what is not, and the way through JSON."""

import json
from dataclasses import FrozenInstanceError, fields

import pytest

from tlmviz.config import ModelConfig, notes_preset
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
        (dict(attention_dropout=float("nan")), "attention_dropout"),
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
    ["", "{", "[]", "null", '"name"', "{}", '{"name": "a", "colour": 1}', '{"name": "a", "dropout": "x"}',
     '{"name": "a", "rope_base": null}', '{"name": 5}', '{"name": "a", "positions": {}}', "[" * 100_000],
)  # fmt: skip
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
        dict(positions="relative", relative_distance=0),
    ],
)
def test_latent_parts_fit_together(changes):
    with pytest.raises(BadConfig) as error:
        config(**changes)
    sentence(error)


def test_latent_attention_has_rope_or_no_positions():
    assert config(latent_dim=8, rope_dim=4).latent_dim == 8
    assert config(latent_dim=8, positions="none", d_model=12, n_heads=4).head_dim == 3


def test_odd_heads_are_fine_without_rope():
    assert config(d_model=12, n_heads=4, positions="alibi").head_dim == 3


def test_changes_are_checked_and_the_original_stays():
    original = config()
    assert original.with_(window=3).window == 3 and original.window is None
    with pytest.raises(BadConfig):
        original.with_(n_heads=5)
    with pytest.raises(FrozenInstanceError):
        original.window = 3


def test_notes_preset_fixes_the_parts_and_takes_the_sizes():
    notes = notes_preset(n_heads=4, d_model=32, n_layers=3)
    parts = (
        notes.positions,
        notes.norm,
        notes.norm_place,
        notes.feedforward,
        notes.bias,
        notes.tied,
        notes.window,
    )
    assert parts == ("learned", "layernorm", "pre", "gelu", True, False, None)
    assert (notes.n_kv_heads, notes.n_layers, notes.head_dim) == (4, 3, 8)

"""The zoo: one choice changed at a time, and a table that says what each costs."""

from dataclasses import asdict, replace

import pandas as pd
import pytest

from tlmviz.checkpoints import native as checkpoints
from tlmviz.networks.transformer import TransformerLM
from tlmviz.training import zoo
from tlmviz.training.recipes import LanguageRecipe

from .. import tiny

pytestmark = pytest.mark.slow

NAMES = {"name", "description"}


def changed(config):
    """Fields of the configuration and of its parts that differ from the baseline's."""
    base = asdict(zoo.BASELINE)
    values = {key: value for key, value in asdict(config).items() if value != base[key]}
    parts = {key: value for key, value in values.items() if isinstance(value, dict)}
    inside = {field for key, part in parts.items() for field in part if part[field] != base[key][field]}
    return (values.keys() - parts.keys() - NAMES) | inside


@pytest.mark.parametrize("name", zoo.ZOO)
def test_one_choice_differs_from_the_baseline_and_the_training_is_the_same(name):
    recipe = zoo.ZOO[name]
    assert recipe.config.name == name and recipe.config.description
    latent = {"latent_dim", "rope_dim"}
    allowed = {"zoo-mla": latent, "zoo-mla-cq": {*latent, "query_latent_dim"}}.get(name)
    fields = changed(recipe.config)
    assert fields == allowed if allowed else len(fields) == (0 if name.startswith("zoo-rope") else 1)
    (stage,) = recipe.stages
    assert replace(stage, seed=0) == zoo.SCHEDULE
    assert (stage.seed != 0) == (not recipe.bundled)


def test_the_choices_of_the_notes_are_there():
    configs = [recipe.config for recipe in zoo.ZOO.values()]
    assert {config.positions.kind for config in configs} == {
        "learned",
        "sinusoidal",
        "rope",
        "alibi",
        "relative",
        "none",
    }
    assert {config.n_kv_heads for config in configs} == {8, 2, 1}
    norms = {(config.norm.kind, config.norm.placement) for config in configs}
    assert norms == {("rmsnorm", "pre"), ("layernorm", "pre"), ("rmsnorm", "post")}
    assert sum(not recipe.bundled for recipe in zoo.ZOO.values()) == 2


@pytest.fixture
def small(monkeypatch, tmp_path, tokenizer):
    """Three untrained models of three lines: the table needs their folders and logs only."""
    sizes = dict(vocab_size=tokenizer.vocab_size, context=64)
    base = tiny.config(**sizes)
    configs = {"zoo-rope": base, "zoo-mqa": base.with_(n_kv_heads=1), "zoo-window": base.with_(window=16)}
    recipes = {name: LanguageRecipe(config.with_(name=name), (zoo.SCHEDULE,)) for name, config in configs.items()}
    recipes |= {f"zoo-rope-{seed}": LanguageRecipe(base, (zoo.SCHEDULE,), bundled=False) for seed in (1, 2)}
    for name in configs:
        checkpoints.save_network(tmp_path / name, TransformerLM(recipes[name].config), tokenizer)
    monkeypatch.setattr(zoo, "ZOO", recipes)
    monkeypatch.setattr(zoo, "SCHEDULE", replace(zoo.SCHEDULE, batch_tokens=32, lengths=((1.0, 16),)))
    monkeypatch.setattr(zoo, "TOKENS", 3)
    monkeypatch.setattr(zoo, "ROUNDS", 1)
    return tmp_path


def test_the_table_holds_what_was_measured(small):
    scores = {"zoo-rope": 1.5, "zoo-mqa": 1.6, "zoo-window": 1.7, "zoo-rope-1": 1.4, "zoo-rope-2": 1.55}
    logs = {name: {"curve": [{"valid_bpb": 9.0}, {"valid_bpb": score}]} for name, score in scores.items()}
    table = pd.read_csv(zoo.write_table(logs, small)).set_index("model")
    assert dict(table.bits_per_byte) == scores
    assert set(table.seed_spread) == {0.15}
    assert list(table.group) == ["baseline", "attention", "attention", "seed", "seed"]
    # float32 keys and values of 2 layers: 4, 1 and 4 heads of 8, and a window that holds 16 of 64 positions
    assert list(table.cache_bytes_per_token[:3]) == [2 * 2 * 4 * 8 * 4, 2 * 2 * 1 * 8 * 4, 2 * 2 * 4 * 8 * 4 // 4]
    network = TransformerLM(zoo.ZOO["zoo-mqa"].config)
    assert table.parameters["zoo-mqa"] == sum(p.numel() for p in network.parameters())
    for column in ("decode_tokens_per_s", "training_tokens_per_s"):
        assert (table[column][:3] > 0).all() and table[column][3:].isna().all()

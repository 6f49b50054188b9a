"""The zoo: one small model trained once per choice, everything else the same, so that the choices can be compared.

The baseline has RoPE, multi-head attention and pre-RMSNorm; every other model changes one of them. Two further seeds
of the baseline say how much of a difference is chance.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd
import torch
from torch.nn import functional as F

from tlmviz.checkpoints.registry import load

from ..config import ModelConfig
from ..facades.language_model import LanguageModel
from ..networks.transformer import TransformerLM, n_parameters
from .loop import Schedule
from .recipes import LanguageRecipe

BASELINE = ModelConfig.of(
    name="zoo-rope",
    description="Zoo baseline: RoPE, multi-head attention, pre-RMSNorm.",
    n_layers=4,
    d_model=128,
    n_heads=8,
    n_kv_heads=8,
    d_ff=352,
    context=256,
    dropout=0.1,
)
CHOICES: dict[str, tuple[str, dict[str, Any]]] = {
    "zoo-learned": ("learned position vectors", dict(positions="learned")),
    "zoo-sinusoidal": ("sinusoidal position vectors", dict(positions="sinusoidal")),
    "zoo-alibi": ("ALiBi", dict(positions="alibi")),
    "zoo-relative": ("relative positions (Shaw)", dict(positions="relative")),
    "zoo-none": ("no positions", dict(positions="none")),
    "zoo-gqa": ("grouped-query attention, 2 key/value heads", dict(n_kv_heads=2)),
    "zoo-mqa": ("multi-query attention, 1 key/value head", dict(n_kv_heads=1)),
    "zoo-mla": ("multi-head latent attention with decoupled RoPE", dict(latent_dim=64, rope_dim=8)),
    "zoo-mla-cq": (
        "multi-head latent attention whose queries come from a latent vector, too",
        dict(latent_dim=64, rope_dim=8, query_latent_dim=48),
    ),
    "zoo-window": ("a sliding window of 64", dict(window=64)),
    "zoo-layernorm": ("LayerNorm", dict(norm="layernorm")),
    "zoo-post": ("post-norm", dict(norm_place="post")),
}
SEEDS = (1, 2)  # of the baseline, besides its own 0

SCHEDULE = Schedule(
    steps=1800,
    batch_tokens=2048,
    lengths=((1.0, 256),),
    learning_rate=2e-3,
    weight_decay=0.3,
    sentence_share=0.3,
    bpe_dropout=0.1,
    evaluate_every=200,
)

_PLAIN = LanguageRecipe(BASELINE, (SCHEDULE,))
ZOO = (
    {"zoo-rope": _PLAIN}
    | {
        name: replace(
            _PLAIN, config=BASELINE.with_(name=name, description=f"Zoo: the baseline with {words}.", **changes)
        )
        for name, (words, changes) in CHOICES.items()
    }
    | {
        f"zoo-rope-{seed}": LanguageRecipe(
            BASELINE.with_(name=f"zoo-rope-{seed}"), (replace(SCHEDULE, seed=seed),), bundled=False
        )
        for seed in SEEDS
    }
)
# Of the field that changed; all else is attention.
GROUPS = {"positions": "positions", "norm": "norm", "norm_place": "norm"}
ROUNDS = 7
TOKENS = 96  # decoded in each round


def write_table(logs: dict[str, dict[str, Any]], models: Path) -> Path:
    """`models`/zoo.csv: one line per model, in the order of ZOO; `logs` holds each one's training log.

    Columns: model, choice, group, bits_per_byte (held out), parameters, cache_bytes_per_token (float32, of the model's
    own cache at the full context), decode_tokens_per_s and training_tokens_per_s (medians, all models in turn, now, on
    this machine), seed_spread (bits per byte between the best and the worst seed of the baseline, on every line).
    """
    held_out = {name: log["curve"][-1]["valid_bpb"] for name, log in logs.items()}
    seeds = [held_out[name] for name in ("zoo-rope", *(f"zoo-rope-{seed}" for seed in SEEDS))]
    bundled = {name: recipe.config for name, recipe in ZOO.items() if recipe.bundled}
    decoding: dict[str, list[float]] = {name: [] for name in bundled}
    training: dict[str, list[float]] = {name: [] for name in bundled}
    for _ in range(ROUNDS):
        for name, config in bundled.items():
            decoding[name].append(_decoding_rate(models / name))
            training[name].append(_training_rate(config))
    lines = []
    for name in logs:
        words, changes = CHOICES.get(name, ("baseline", {}) if name in bundled else (f"seed {name[-1]}", {}))
        changed = next(iter(changes), None)
        group = "baseline" if name == "zoo-rope" else "seed" if changed is None else GROUPS.get(changed, "attention")
        speed = [round(median(rates[name])) if name in bundled else "" for rates in (decoding, training)]
        parameters, cache = n_parameters(ZOO[name].config), _cache_bytes(ZOO[name].config)
        lines.append(
            [name, words, group, round(held_out[name], 4), parameters, cache, *speed, round(max(seeds) - min(seeds), 4)]
        )
    columns = (
        "model choice group bits_per_byte parameters cache_bytes_per_token decode_tokens_per_s training_tokens_per_s"
    )
    path = models / "zoo.csv"
    pd.DataFrame(lines, columns=[*columns.split(), "seed_spread"]).to_csv(path, index=False)
    return path


@torch.inference_mode()
def _cache_bytes(config: ModelConfig) -> int:
    network = TransformerLM(config)
    cache = network.new_cache()
    network(torch.zeros(1, config.context, dtype=torch.long), cache)
    return cache.nbytes // config.context


@torch.inference_mode()
def _decoding_rate(folder: Path) -> float:
    """Tokens per second, one at a time, greedily, from the start of a document."""
    lm = load(folder)
    assert isinstance(lm, LanguageModel)
    cache, token = lm.new_cache(), torch.tensor([[lm.tokenizer.end_of_text]])
    began = time.perf_counter()
    for _ in range(TOKENS):
        token = lm(token, cache)[:, -1:].argmax(-1)
    return TOKENS / (time.perf_counter() - began)


def _training_rate(config: ModelConfig) -> float:
    """Tokens per second of a forward and a backward pass over one batch of the schedule."""
    network, length = TransformerLM(config), SCHEDULE.lengths[0][1]
    ids = torch.randint(config.vocab_size, (SCHEDULE.batch_tokens // length, length + 1))
    began = time.perf_counter()
    F.cross_entropy(network(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()).backward()
    return SCHEDULE.batch_tokens / (time.perf_counter() - began)

"""The zoo: one small model trained once per choice, everything else the same, so that the choices can be compared.

The baseline has RoPE, multi-head attention and pre-RMSNorm; every other model changes one of them. Two further seeds
of the baseline say how much of a difference is chance.
"""

from __future__ import annotations

from dataclasses import replace

from ..config import ModelConfig
from .loop import Schedule
from .recipes import Recipe

BASELINE = ModelConfig(
    name="zoo-rope",
    description="Zoo baseline: RoPE, multi-head attention, pre-RMSNorm.",
    n_layers=4, d_model=128, n_heads=8, n_kv_heads=8, d_ff=352, context=256, dropout=0.1,
)
CHOICES = {
    "zoo-learned": ("learned position vectors", dict(positions="learned")),
    "zoo-sinusoidal": ("sinusoidal position vectors", dict(positions="sinusoidal")),
    "zoo-alibi": ("ALiBi", dict(positions="alibi")),
    "zoo-relative": ("relative positions (Shaw)", dict(positions="relative")),
    "zoo-none": ("no positions", dict(positions="none")),
    "zoo-gqa": ("grouped-query attention, 2 key/value heads", dict(n_kv_heads=2)),
    "zoo-mqa": ("multi-query attention, 1 key/value head", dict(n_kv_heads=1)),
    "zoo-mla": ("multi-head latent attention with decoupled RoPE", dict(latent_dim=64, rope_dim=8)),
    "zoo-window": ("a sliding window of 64", dict(window=64)),
    "zoo-layernorm": ("LayerNorm", dict(norm="layernorm")),
    "zoo-post": ("post-norm", dict(norm_place="post")),
}
SEEDS = (1, 2)  # of the baseline, besides its own 0

SCHEDULE = Schedule(
    steps=1800, batch_tokens=2048, lengths=((1.0, 256),), learning_rate=2e-3, weight_decay=0.3, sentence_share=0.3,
    bpe_dropout=0.1, evaluate_every=200,
)

_PLAIN = Recipe(BASELINE, (SCHEDULE,))
ZOO = {"zoo-rope": _PLAIN} | {
    name: replace(_PLAIN, config=BASELINE.with_(name=name, description=f"Zoo: the baseline with {words}.", **changes))
    for name, (words, changes) in CHOICES.items()
}

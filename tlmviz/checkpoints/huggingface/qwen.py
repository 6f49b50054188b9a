"""Qwen2, Qwen2.5 (which are Qwen2) and Qwen3: Llamas with biases on q, k and v, or norms on q and k."""

from __future__ import annotations

from tlmviz.config import ModelConfig

from . import llama
from .family import Family, Fields, gated, heads, layered, rms_norm, rotated, sizes, windows
from .parts import Parts, norm
from .settings import Settings


def qwen2(settings: Settings) -> Fields:
    """Biases on q, k and v alone."""
    own = {**heads(settings, bias=None, groups=32), "q_bias": True, "k_bias": True, "v_bias": True}
    return _qwen(settings, own)


def qwen3(settings: Settings) -> Fields:
    """Norms on each head's queries and keys."""
    return _qwen(settings, {**heads(settings, head_dim=128, groups=32), "qk_norm": "head"})


def _qwen(settings: Settings, attention: Fields) -> Fields:
    settings.expect("use_mrope", False)
    count = sizes(settings)
    window = settings.optional_count("sliding_window", 4096)
    window = window if settings.flag("use_sliding_window") else None
    first = settings.take("max_window_layers", 28)
    if type(first) is not int or first < 0:
        raise settings.wrong("max_window_layers", first, "a whole number of at least 0")
    seen = windows(settings, count["n_layers"], window, [i >= first for i in range(count["n_layers"])])
    return {
        **count,
        "attention": attention,
        "positions": rotated(settings, attention),
        "norm": rms_norm(settings),
        "feedforward": gated(settings, bias=None),
        **layered([{"window": size} for size in seen]),
    }


def parts(config: ModelConfig) -> Parts:
    """Llama's, and the two norms of each layer."""
    found = llama.parts(config)
    for layer in range(config.n_layers):
        for letter in "qk":
            ours, theirs = f"blocks.{layer}.attn.qk_norm.{letter}", f"layers.{layer}.self_attn.{letter}_norm"
            found |= norm(config, ours, theirs, config.head_dim)
    return found


QWEN2 = Family("Qwen2", qwen2, llama.parts)
QWEN3 = Family("Qwen3", qwen3, parts)

"""Llama 1 to 3, Mistral, SmolLM 1 and 2 (which are Llamas), SmolLM3, StableLM: pre-norm, RoPE, a gate."""

from __future__ import annotations

from tlmviz.config import ModelConfig

from .family import Family, Fields, gated, heads, layered, rms_norm, rotated, sizes, windows
from .parts import Parts, attention, embeddings, norm
from .parts import gated as gated_parts
from .settings import Settings


def llama(settings: Settings) -> Fields:
    """Touvron et al. 2023; Llama 3 adds its own scaling of RoPE."""
    own = heads(settings)
    return {
        **sizes(settings),
        "attention": own,
        "positions": rotated(settings, own),
        "norm": rms_norm(settings),
        "feedforward": gated(settings),
    }


def mistral(settings: Settings) -> Fields:
    """A Llama in which a query sees the last `sliding_window` positions (Jiang et al. 2023)."""
    own = heads(settings, bias=None, groups=8)
    count = sizes(settings)
    window = settings.optional_count("sliding_window", 4096)
    kinds = windows(settings, count["n_layers"], window, [True] * count["n_layers"])
    return {
        **count,
        "attention": own,
        "positions": rotated(settings, own),
        "norm": rms_norm(settings),
        "feedforward": gated(settings, bias=None),
        **layered([{"window": window} for window in kinds]),
    }


def smollm3(settings: Settings) -> Fields:
    """A Llama of which every fourth layer has no RoPE."""
    own, count = heads(settings, groups=4), sizes(settings, tied=True)
    layers, every = count["n_layers"], settings.count("no_rope_layer_interval", 4)
    rotary = settings.take("no_rope_layers", [int((i + 1) % every != 0) for i in range(layers)])
    if not isinstance(rotary, list) or len(rotary) != layers or any(one not in (0, 1) for one in rotary):
        raise settings.wrong("no_rope_layers", rotary, f"0 or 1 for each of the {layers} layers")
    slides, window = settings.flag("use_sliding_window"), settings.count("sliding_window", None)
    sliding = [slides and window is not None and not turns for turns in rotary]
    seen = windows(settings, layers, window if slides else None, sliding)
    entries = [{"window": size} if turns else {"window": size, "rotary": False} for size, turns in zip(seen, rotary)]
    return {
        **count,
        "attention": own,
        "positions": rotated(settings, own, base=2000000.0),
        "norm": rms_norm(settings),
        "feedforward": gated(settings),
        **layered(entries),
    }


def stablelm(settings: Settings) -> Fields:
    """LayerNorm, a quarter of each head turned, and attention beside the feed-forward where the file says so."""
    settings.expect("qk_layernorm", False)
    biased = settings.flag("use_qkv_bias")
    own = {**heads(settings, bias=None), **{f"{letter}_bias": biased for letter in "qkv"}}
    placement = "parallel-shared" if settings.flag("use_parallel_residual") else "pre"
    return {
        **sizes(settings),
        "attention": own,
        "positions": rotated(settings, own, share=0.25),
        "norm": {"kind": "layernorm", "eps": settings.number("layer_norm_eps", 1e-5), "placement": placement},
        "feedforward": gated(settings, bias=None),
    }


def parts(config: ModelConfig) -> Parts:
    """Names as all of them have them; q_norm and k_norm are Qwen3's."""
    found = {**embeddings(config), **norm(config, "norm", "norm")}
    for layer in range(config.n_layers):
        ours, theirs = f"blocks.{layer}", f"layers.{layer}"
        found |= norm(config, f"{ours}.norm1", f"{theirs}.input_layernorm")
        if config.norm.placement != "parallel-shared":
            found |= norm(config, f"{ours}.norm2", f"{theirs}.post_attention_layernorm")
        found |= attention(config, f"{ours}.attn", f"{theirs}.self_attn")
        found |= gated_parts(config, f"{ours}.mlp", f"{theirs}.mlp")
    return found


LLAMA = Family("Llama", llama, parts)
MISTRAL = Family("Mistral", mistral, parts)
SMOLLM3 = Family("SmolLM3", smollm3, parts)
STABLELM = Family("StableLM", stablelm, parts)

"""Phi 1 to 2, with attention beside the feed-forward, and Phi 3 and 4, which are Llamas with fused projections."""

from __future__ import annotations

from tlmviz.config import ModelConfig

from .family import ACTIVATIONS, Family, Fields, gated, heads, layered, rms_norm, rotated, sizes
from .parts import Parts, attention, embeddings, norm, plain, stacked
from .settings import Settings


def phi(settings: Settings) -> Fields:
    """One LayerNorm for both sublayers, half of each head turned, biases everywhere (Li et al. 2023)."""
    settings.expect("qk_layernorm", False)
    own = {**heads(settings, bias=None), **{f"{letter}_bias": True for letter in "qkvo"}}
    count = sizes(settings)
    if count["tied"]:
        raise settings.unknown("tie_word_embeddings", True, "false")
    return {
        **count,
        "head_bias": True,
        "attention": own,
        "positions": rotated(settings, own, share=0.5),
        "norm": {"kind": "layernorm", "eps": settings.number("layer_norm_eps", 1e-5), "placement": "parallel-shared"},
        "feedforward": {
            "kind": settings.choice("hidden_act", ACTIVATIONS, "gelu_new"),
            "hidden": settings.count("intermediate_size", 4 * count["d_model"]),
            "bias": True,
        },
    }


def phi3(settings: Settings) -> Fields:
    """Abdin et al. 2024. The long-context variants scale RoPE by LongRoPE, which is refused."""
    own = heads(settings, bias=None)
    settings.ignore("original_max_position_embeddings")  # counts for LongRoPE alone
    return {
        **sizes(settings),
        "attention": own,
        "positions": rotated(settings, own),
        "norm": rms_norm(settings, eps=1e-5),
        "feedforward": gated(settings, bias=None),
        **layered([{"window": settings.count("sliding_window", None)}]),
    }


def phi_parts(config: ModelConfig) -> Parts:
    """Phi's names."""
    found = {**embeddings(config), **norm(config, "norm", "final_layernorm")}
    for layer in range(config.n_layers):
        ours, theirs = f"blocks.{layer}", f"layers.{layer}"
        found |= norm(config, f"{ours}.norm1", f"{theirs}.input_layernorm")
        found |= attention(config, f"{ours}.attn", f"{theirs}.self_attn", out="dense")
        found |= plain(config, f"{ours}.mlp", f"{theirs}.mlp.fc1", f"{theirs}.mlp.fc2")
    return found


def phi3_parts(config: ModelConfig) -> Parts:
    """Phi 3's names; its fused matrices have their rows in our order."""
    found = {**embeddings(config), **norm(config, "norm", "norm")}
    c, d, hidden = config.d_model, config.head_dim, config.feedforward.hidden
    fused = (config.n_heads + 2 * config.n_kv_heads) * d
    for layer in range(config.n_layers):
        ours, theirs = f"blocks.{layer}", f"layers.{layer}"
        found |= norm(config, f"{ours}.norm1", f"{theirs}.input_layernorm")
        found |= norm(config, f"{ours}.norm2", f"{theirs}.post_attention_layernorm")
        found |= stacked(f"{ours}.attn.qkv", c, {f"{theirs}.self_attn.qkv_proj": fused})
        found |= stacked(f"{ours}.attn.proj", config.n_heads * d, {f"{theirs}.self_attn.o_proj": c})
        found |= stacked(f"{ours}.mlp.gate_up", c, {f"{theirs}.mlp.gate_up_proj": 2 * hidden})
        found |= stacked(f"{ours}.mlp.down", hidden, {f"{theirs}.mlp.down_proj": c})
    return found


PHI = Family("Phi", phi, phi_parts)
PHI3 = Family("Phi 3", phi3, phi3_parts)

"""OLMo 2: norms on what each sublayer adds, and on all queries and all keys (OLMo et al. 2024, section 3.3)."""

from __future__ import annotations

from tlmviz.config import ModelConfig

from .family import Family, Fields, gated, heads, rms_norm, rotated, sizes
from .parts import Parts, attention, embeddings, norm
from .parts import gated as gated_parts
from .settings import Settings


def olmo2(settings: Settings) -> Fields:
    """OLMo 2's settings."""
    own = {**heads(settings), "qk_norm": "full"}
    return {
        **sizes(settings),
        "attention": own,
        "positions": rotated(settings, own),
        "norm": rms_norm(settings, "output", 1e-5),
        "feedforward": gated(settings, bias=None),
    }


def parts(config: ModelConfig) -> Parts:
    """OLMo 2's names."""
    found = {**embeddings(config), **norm(config, "norm", "norm")}
    widths = {"q": config.n_heads * config.head_dim, "k": config.n_kv_heads * config.head_dim}
    for layer in range(config.n_layers):
        ours, theirs = f"blocks.{layer}", f"layers.{layer}"
        found |= norm(config, f"{ours}.norm1", f"{theirs}.post_attention_layernorm")
        found |= norm(config, f"{ours}.norm2", f"{theirs}.post_feedforward_layernorm")
        found |= attention(config, f"{ours}.attn", f"{theirs}.self_attn")
        for letter, width in widths.items():
            found |= norm(config, f"{ours}.attn.qk_norm.{letter}", f"{theirs}.self_attn.{letter}_norm", width)
        found |= gated_parts(config, f"{ours}.mlp", f"{theirs}.mlp")
    return found


OLMO2 = Family("OLMo 2", olmo2, parts)

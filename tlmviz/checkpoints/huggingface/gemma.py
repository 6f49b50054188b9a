"""Gemma 2 and the text models of Gemma 3: norms on both sides of each sublayer, windows in most layers, a scaled
embedding.

Their norms multiply by 1 + w; the 1 is added when a checkpoint is read.
"""

from __future__ import annotations

from tlmviz.config import ModelConfig

from . import rope
from .family import Family, Fields, gated, heads, layered, rms_norm, rotated, sizes, windows
from .parts import PLUS_ONE, Parts, attention, embeddings, norm
from .parts import gated as gated_parts
from .settings import Settings


def gemma2(settings: Settings) -> Fields:
    """Every second layer, the first among them, has a window; scores and logits are bounded (Gemma Team 2024)."""
    own = _attention(settings, 50.0)
    common, layers = _common(settings, own, 30.0), settings.count("num_hidden_layers")
    sliding = [(layer + 1) % 2 == 1 for layer in range(layers)]
    seen = windows(settings, layers, settings.count("sliding_window", 4096), sliding)
    return {**common, "positions": rotated(settings, own), **layered([{"window": window} for window in seen])}


def gemma3(settings: Settings) -> Fields:
    """Every sixth layer sees everything and has its own RoPE; queries and keys are normalised (Gemma Team 2025)."""
    own = {**_attention(settings, None), "qk_norm": "head"}
    common, layers = _common(settings, own, None), settings.count("num_hidden_layers")
    every = settings.count("sliding_window_pattern", settings.values.get("_sliding_window_pattern") or 6)
    sliding = [(layer + 1) % every != 0 for layer in range(layers)]
    seen = windows(settings, layers, settings.count("sliding_window", 4096), sliding)
    whole, local = _ropes(settings)
    near = {"rope_base": local["rope_base"]} | ({"scaled": False} if "scaling" in whole else {})
    entries = [{"window": window} | (near if window is not None else {}) for window in seen]
    return {**common, "positions": whole, **layered(entries)}


def _ropes(settings: Settings) -> tuple[Fields, Fields]:
    """RoPE of layers that see everything, and of layers with a window, which is not scaled."""
    near, far = settings.number("rope_local_base_freq", 10000.0), settings.number("rope_theta", 1000000.0)
    both = settings.part("rope_parameters")
    if "full_attention" in both.values or "sliding_attention" in both.values:
        settings.ignore("rope_scaling")
        whole = rope.described(settings, both.part("full_attention"), far)
        local = rope.described(settings, both.part("sliding_attention"), near)
        both.finish()
    else:
        whole = rope.described(settings, settings.part("rope_scaling"), far)
        local = {"rope_base": near}
    if "scaling" in local or whole.pop("share") or local.pop("share", None):
        raise settings.unknown(
            "rope_parameters", settings.values["rope_parameters"], "a scaling of full_attention alone, of whole heads"
        )
    return whole, local


def _attention(settings: Settings, softcap: float | None) -> Fields:
    scalar = settings.number("query_pre_attn_scalar", 256.0)
    return {
        **heads(settings, head_dim=256, groups=4),
        "scale": scalar**-0.5,
        "softcap": settings.optional_number("attn_logit_softcapping", softcap),
    }


def _common(settings: Settings, attention: Fields, softcap: float | None) -> Fields:
    count = sizes(settings, tied=True)
    settings.expect("use_bidirectional_attention", False)
    return {
        **count,
        "embedding_scale": count["d_model"] ** 0.5,
        "logit_softcap": settings.optional_number("final_logit_softcapping", softcap),
        "attention": attention,
        "norm": rms_norm(settings, "sandwich"),
        "feedforward": gated(settings, "hidden_activation", "gelu_pytorch_tanh", bias=None),
    }


def parts(config: ModelConfig) -> Parts:
    """Gemma 2's names, and Gemma 3's norms on queries and keys."""
    found = {**embeddings(config), **norm(config, "norm", "norm", gain=PLUS_ONE)}
    for layer in range(config.n_layers):
        ours, theirs = f"blocks.{layer}", f"layers.{layer}"
        for own, name in NORMS.items():
            found |= norm(config, f"{ours}.{own}", f"{theirs}.{name}", gain=PLUS_ONE)
        found |= attention(config, f"{ours}.attn", f"{theirs}.self_attn")
        for letter in "qk" if config.attention.qk_norm == "head" else "":
            own, name = f"{ours}.attn.qk_norm.{letter}", f"{theirs}.self_attn.{letter}_norm"
            found |= norm(config, own, name, config.head_dim, PLUS_ONE)
        found |= gated_parts(config, f"{ours}.mlp", f"{theirs}.mlp")
    return found


NORMS = {
    "norm1": "input_layernorm",
    "norm_attn_out": "post_attention_layernorm",
    "norm2": "pre_feedforward_layernorm",
    "norm_mlp_out": "post_feedforward_layernorm",
}
GEMMA2 = Family("Gemma 2", gemma2, parts)
GEMMA3 = Family("Gemma 3", gemma3, parts)

"""GPT-NeoX and Pythia: attention beside the feed-forward, each with its LayerNorm; a quarter of each head turns."""

from __future__ import annotations

from torch import Tensor

from tlmviz.config import ModelConfig

from .family import ACTIVATIONS, Family, Fields, rotated, sizes
from .parts import Change, Part, Parts, embeddings, norm, plain, stacked
from .settings import Settings


def gpt_neox(settings: Settings) -> Fields:
    """Black et al. 2022; the keys of RoPE have names of their own in older files."""
    count, heads = sizes(settings), settings.count("num_attention_heads")
    if count["d_model"] % heads:
        raise settings.wrong("num_attention_heads", heads, f"a divisor of hidden_size, {count['d_model']}")
    attention: Fields = {"n_heads": heads, "head_dim": count["d_model"] // heads}
    base, share = settings.number("rotary_emb_base", 10000.0), settings.number("rotary_pct", 0.25)
    biased = settings.flag("attention_bias", True)
    return {
        **count,
        "attention": {**attention, **{f"{letter}_bias": biased for letter in "qkvo"}},
        "positions": rotated(settings, attention, base, share),
        "norm": {
            "kind": "layernorm",
            "eps": settings.number("layer_norm_eps", 1e-5),
            "placement": "parallel" if settings.flag("use_parallel_residual", True) else "pre",
        },
        "feedforward": {
            "kind": settings.choice("hidden_act", ACTIVATIONS, "gelu"),
            "hidden": settings.count("intermediate_size"),
            "bias": True,
        },
    }


def parts(config: ModelConfig) -> Parts:
    """GPT-NeoX's names; query, key and value of one head stand together there, and all queries together here."""
    found = {**embeddings(config, "embed_in", "embed_out"), **norm(config, "norm", "final_layer_norm")}
    c, biased = config.d_model, config.attention.q_bias
    order = Change(lambda x: _turned(x, config.n_heads, 3), lambda x: _turned(x, 3, config.n_heads))
    for layer in range(config.n_layers):
        ours, theirs = f"blocks.{layer}", f"layers.{layer}"
        found |= norm(config, f"{ours}.norm1", f"{theirs}.input_layernorm")
        found |= norm(config, f"{ours}.norm2", f"{theirs}.post_attention_layernorm")
        fused = f"{theirs}.attention.query_key_value"
        found[f"{ours}.attn.qkv.weight"] = [Part(f"{fused}.weight", (3 * c, c), order)]
        if biased:
            found[f"{ours}.attn.qkv.bias"] = [Part(f"{fused}.bias", (3 * c,), order)]
        found |= stacked(f"{ours}.attn.proj", c, {f"{theirs}.attention.dense": c}, (biased,))
        found |= plain(config, f"{ours}.mlp", f"{theirs}.mlp.dense_h_to_4h", f"{theirs}.mlp.dense_4h_to_h")
    return found


def _turned(x: Tensor, outer: int, inner: int) -> Tensor:
    """Rows in outer x inner groups, in the order inner x outer."""
    turned: Tensor = x.unflatten(0, (outer, inner, -1)).transpose(0, 1).flatten(0, 2)
    return turned


GPT_NEOX = Family("GPT-NeoX", gpt_neox, parts, prefix="gpt_neox.", head="embed_out")

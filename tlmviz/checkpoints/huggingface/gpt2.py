"""GPT-2: learned positions, LayerNorm, GELU by tanh, biases everywhere (Radford et al. 2019)."""

from __future__ import annotations

from tlmviz.config import ModelConfig

from .family import ACTIVATIONS, Family, Fields
from .parts import TRANSPOSED, Part, Parts, embeddings, norm
from .settings import Settings


def gpt2(settings: Settings) -> Fields:
    """GPT-2's settings, which have names of their own."""
    settings.expect("scale_attn_by_inverse_layer_idx", False)
    settings.expect("add_cross_attention", False)
    width, heads = settings.count("n_embd", 768), settings.count("n_head", 12)
    if width % heads:
        raise settings.wrong("n_head", heads, f"a divisor of n_embd, {width}")
    return {
        "vocab_size": settings.count("vocab_size", 50257),
        "n_layers": settings.count("n_layer", 12),
        "d_model": width,
        "context": settings.count("n_positions", 1024),
        "tied": settings.flag("tie_word_embeddings", True),
        "attention": {
            "n_heads": heads,
            "scale": None if settings.flag("scale_attn_weights", True) else 1.0,
            **{f"{letter}_bias": True for letter in "qkvo"},
        },
        "positions": {"kind": "learned"},
        "norm": {"kind": "layernorm", "eps": settings.number("layer_norm_epsilon", 1e-5)},
        "feedforward": {
            "kind": settings.choice("activation_function", ACTIVATIONS, "gelu_new"),
            "hidden": settings.count("n_inner", 4 * width),
            "bias": True,
        },
    }


def parts(config: ModelConfig) -> Parts:
    """GPT-2's names; its matrices are stored the other way round, inputs down."""
    c, hidden = config.d_model, config.feedforward.hidden
    found = {
        **embeddings(config, "wte"),
        "positions.embedding.weight": [Part("wpe.weight", (config.context, c))],
        **norm(config, "norm", "ln_f"),
    }
    matrices = {
        "attn.qkv": ("attn.c_attn", c, 3 * c),
        "attn.proj": ("attn.c_proj", c, c),
        "mlp.up": ("mlp.c_fc", c, hidden),
        "mlp.down": ("mlp.c_proj", hidden, c),
    }
    for layer in range(config.n_layers):
        ours, theirs = f"blocks.{layer}", f"h.{layer}"
        found |= norm(config, f"{ours}.norm1", f"{theirs}.ln_1")
        found |= norm(config, f"{ours}.norm2", f"{theirs}.ln_2")
        for own, (name, inputs, outputs) in matrices.items():
            found[f"{ours}.{own}.weight"] = [Part(f"{theirs}.{name}.weight", (inputs, outputs), TRANSPOSED)]
            found[f"{ours}.{own}.bias"] = [Part(f"{theirs}.{name}.bias", (outputs,))]
    return found


GPT2 = Family("GPT-2", gpt2, parts, prefix="transformer.")

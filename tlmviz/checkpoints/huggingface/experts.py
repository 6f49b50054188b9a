"""Mixtral, Qwen2-MoE and Qwen3-MoE: Mistral and Qwen with experts; and what all families with experts have in
common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tlmviz.config import ModelConfig

from . import llama, qwen
from .family import Family, Fields, heads, layered, rms_norm, rotated, sizes, windows
from .parts import Part, Parts, stacked
from .settings import Settings

SILU = {"silu": "swiglu", "swish": "swiglu"}  # what experts have for their gates
PROJECTIONS = ("gate_proj", "up_proj", "down_proj")


def swiglu(settings: Settings, width: str = "intermediate_size") -> Fields:
    """The feed-forward part of layers without experts, whose activation the experts share."""
    return {"kind": settings.choice("hidden_act", SILU, "silu"), "hidden": settings.count(width)}


def mixtral(settings: Settings) -> Fields:
    """A Mistral in which every layer has experts, mixed by a softmax over the chosen (Jiang et al. 2024)."""
    own, count = heads(settings, bias=None, groups=8), sizes(settings)
    window = settings.optional_count("sliding_window", None)
    settings.ignore("router_jitter_noise")  # in training alone
    dense = swiglu(settings)
    return {
        **count,
        "attention": own,
        "positions": rotated(settings, own, base=1e6),
        "norm": rms_norm(settings, eps=1e-5),
        "feedforward": dense,
        "experts": {
            "count": settings.count("num_local_experts", 8),
            "chosen": settings.count("num_experts_per_tok", 2),
            "hidden": dense["hidden"],
        },
        "window": window,
    }


def qwen2_moe(settings: Settings) -> Fields:
    """Many narrow experts, and a shared one behind a gate (Qwen team 2024)."""
    own = heads(settings, bias=None, groups=16)
    biased = settings.flag("qkv_bias", True)
    slides, layers = settings.flag("use_sliding_window"), settings.count("num_hidden_layers")
    first = settings.take("max_window_layers", 28)
    settings.ignore("sliding_window")  # without windows newer files say 0
    window = settings.optional_count("sliding_window", 4096) if slides else None
    seen = windows(settings, layers, window, [(i + 1) % 2 == 1 and i < first for i in range(layers)])
    shared = settings.count("shared_expert_intermediate_size", 5632)
    experts = {**_qwen_experts(settings), "shared": 1, "shared_hidden": shared, "shared_gate": True}
    own |= {f"{letter}_bias": biased for letter in "qkv"}
    return _qwen(settings, own, experts) | layered([{"window": size} for size in seen])


def qwen3_moe(settings: Settings) -> Fields:
    """Experts without a shared one, norms on each head's queries and keys (Qwen team 2025)."""
    own = {**heads(settings, groups=4), "qk_norm": "head"}
    slides = settings.flag("use_sliding_window")
    window = settings.optional_count("sliding_window", 4096) if slides else None
    settings.ignore("sliding_window", "max_window_layers")  # all its layers are alike
    return _qwen(settings, own, _qwen_experts(settings)) | {"window": window}


def _qwen(settings: Settings, attention: Fields, experts: Fields) -> Fields:
    return {
        **sizes(settings),
        "attention": attention,
        "positions": rotated(settings, attention),
        "norm": rms_norm(settings),
        "feedforward": swiglu(settings),
        "experts": experts,
    }


def _qwen_experts(settings: Settings) -> Fields:
    layers, every = settings.count("num_hidden_layers"), settings.count("decoder_sparse_step", 1)
    plain = settings.take("mlp_only_layers", [])
    if not isinstance(plain, list) or any(type(at) is not int for at in plain):
        raise settings.wrong("mlp_only_layers", plain, "a list of layers")
    newer = settings.count("num_local_experts", None)  # as transformers 5 writes it for Qwen3
    return {
        "count": settings.count("num_experts", newer if newer is not None else 60),
        "chosen": settings.count("num_experts_per_tok", 4),
        "hidden": settings.count("moe_intermediate_size"),
        "normalised": settings.flag("norm_topk_prob"),
        "dense_layers": tuple(at for at in range(layers) if at in plain or (at + 1) % every),
    }


def expert_parts(
    config: ModelConfig,
    ours: str,
    theirs: str,
    projections: tuple[str, str, str] = PROJECTIONS,
    shared: str = "shared_experts",
    bias: str = "gate.e_score_correction_bias",
) -> Parts:
    """Router, experts and shared expert of one layer; files hold each expert's three projections by themselves."""
    part, c = config.experts, config.d_model
    gate, up, down = (
        [f"{theirs}.experts.{number}.{name}.weight" for number in range(part.count)] for name in projections
    )
    wide, narrow = (part.hidden, c), (c, part.hidden)
    found = {
        **stacked(f"{ours}.router", c, {f"{theirs}.gate": part.count}),
        f"{ours}.gate_up": [Part(name, wide) for pair in zip(gate, up) for name in pair],
        f"{ours}.down": [Part(name, narrow) for name in down],
    }
    if part.bias:
        found[f"{ours}.choice_bias"] = [Part(f"{theirs}.{bias}", (part.count,))]
    if part.shared_width:
        rows = {f"{theirs}.{shared}.{name}": part.shared_width for name in PROJECTIONS[:2]}
        found |= stacked(f"{ours}.shared.gate_up", c, rows)
        found |= stacked(f"{ours}.shared.down", part.shared_width, {f"{theirs}.{shared}.down_proj": c})
        if part.shared_gate:
            found |= stacked(f"{ours}.shared_gate", c, {f"{theirs}.{shared}_gate": 1})
    return found


def _parts(base: Callable[[ModelConfig], Parts], name: str, **names: Any) -> Callable[[ModelConfig], Parts]:
    """A dense family's parts, with experts where a layer has them, under `name`."""

    def parts(config: ModelConfig) -> Parts:
        found = base(config)
        for layer in range(config.n_layers):
            if config.has_experts(layer):
                ours = f"blocks.{layer}.mlp"
                found = {key: value for key, value in found.items() if not key.startswith(f"{ours}.")}
                found |= expert_parts(config, ours, f"layers.{layer}.{name}", **names)
        return found

    return parts


MIXTRAL = Family("Mixtral", mixtral, _parts(llama.parts, "block_sparse_moe", projections=("w1", "w3", "w2")))
QWEN2_MOE = Family("Qwen2-MoE", qwen2_moe, _parts(llama.parts, "mlp", shared="shared_expert"))
QWEN3_MOE = Family("Qwen3-MoE", qwen3_moe, _parts(qwen.parts, "mlp"))

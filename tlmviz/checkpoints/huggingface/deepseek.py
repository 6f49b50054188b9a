"""DeepSeek V2 and V3: latent attention, with values of their own size and YaRN as released; dense layers, then
experts."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tlmviz.config import ModelConfig

from . import rope
from .experts import expert_parts, swiglu
from .family import Family, Fields, gated, rms_norm, sizes
from .parts import Change, Part, Parts, embeddings, norm, stacked
from .parts import gated as gated_parts
from .settings import Settings

LATENT_EPS = 1e-6  # of the norms of both latents in the released code, whatever rms_norm_eps says of the others
# What is said of experts counts for no layer where all are dense.
EXPERTS = (
    "n_routed_experts",
    "n_shared_experts",
    "num_experts_per_tok",
    "moe_intermediate_size",
    "routed_scaling_factor",
    "n_group",
    "topk_group",
    "topk_method",
    "norm_topk_prob",
    "scoring_func",
    "moe_layer_freq",
    "num_local_experts",
)
# How experts are spread over machines, and modules for further tokens, which stand behind the layers.
APART = ("ep_size", "num_nextn_predict_layers", "num_mtp_layers")


def deepseek_v2(settings: Settings) -> Fields:
    """DeepSeek-AI 2024, section 2.1: RoPE turns neighbouring dimensions."""
    return _deepseek(settings, "interleaved", _experts_v2)


def deepseek_v3(settings: Settings) -> Fields:
    """The same attention; a flag says which dimensions make a pair."""
    layout = "interleaved" if settings.flag("rope_interleave", True) else "half"
    return _deepseek(settings, layout, _experts_v3)


def _deepseek(settings: Settings, layout: str, routing: Callable[[Settings], Fields]) -> Fields:
    count, heads = sizes(settings), settings.count("num_attention_heads")
    experts = _experts(settings, count["n_layers"], routing)
    settings.expect("num_key_value_heads", heads)
    settings.expect("attention_bias", False)
    settings.ignore("head_dim", "qk_head_dim")  # both follow from the next two
    content, turned = settings.count("qk_nope_head_dim", 128), settings.count("qk_rope_head_dim", 64)
    positions = rope.positions(settings, turned)
    return {
        **count,
        "attention": {
            "n_heads": heads,
            "head_dim": content,
            "rope_dim": turned,
            "latent_dim": settings.count("kv_lora_rank", 512),
            "query_latent_dim": settings.optional_count("q_lora_rank", 1536),
            "value_dim": settings.count("v_head_dim", 128),
            "scale": (content + turned) ** -0.5 * _temperature(settings, positions),
        },
        "positions": positions | {"layout": layout},
        "norm": rms_norm(settings),
        "feedforward": gated(settings) if not experts else swiglu(settings),
        "experts": experts,
    }


def _experts(settings: Settings, layers: int, routing: Callable[[Settings], Fields]) -> Fields:
    """The experts of the layers from `first_k_dense_replace` on; nothing where that is beyond the last."""
    dense = settings.take("first_k_dense_replace", 0)
    if type(dense) is not int or dense < 0:
        raise settings.wrong("first_k_dense_replace", dense, "a whole number of at least 0")
    settings.ignore(*APART)
    if dense >= layers:
        settings.ignore(*EXPERTS)
        return {}
    settings.expect("moe_layer_freq", 1)
    settings.expect("mlp_bias", False)
    settings.ignore("num_local_experts")  # another name of n_routed_experts in newer files
    return {
        "count": settings.count("n_routed_experts"),
        "chosen": settings.count("num_experts_per_tok"),
        "hidden": settings.count("moe_intermediate_size"),
        "shared": settings.count("n_shared_experts"),
        "scaling": settings.number("routed_scaling_factor", 1.0),
        "dense_layers": tuple(range(dense)),
        **routing(settings),
    }


def _experts_v2(settings: Settings) -> Fields:
    """A softmax over all experts, which is not normalised again; groups by their best expert (section 2.2)."""
    settings.expect("scoring_func", "softmax")
    settings.expect("norm_topk_prob", False)
    grouped = settings.choice("topk_method", {"greedy": False, "group_limited_greedy": True}, "greedy")
    groups, open_groups = settings.count("n_group", 1), settings.count("topk_group", 1)
    groups, open_groups = (groups, open_groups) if grouped else (1, 1)
    return {"normalised": False, "groups": groups, "chosen_groups": open_groups, "group_best": 1}


def _experts_v3(settings: Settings) -> Fields:
    """A sigmoid of each, a bias that chooses, groups by the sum of their two best (section 2.1.2)."""
    settings.expect("scoring_func", "sigmoid")
    settings.expect("topk_method", "noaux_tc")
    return {
        "score": "sigmoid",
        "bias": True,
        "normalised": settings.flag("norm_topk_prob", True),
        "groups": settings.count("n_group", 8),
        "chosen_groups": settings.count("topk_group", 4),
    }


def _temperature(settings: Settings, positions: Fields) -> float:
    """What YaRN multiplies the scores by, beside what it does to cos and sin."""
    described = settings.values.get("rope_parameters") or settings.values.get("rope_scaling") or {}
    weight = described.get("mscale_all_dim") or 0
    if "scaling" not in positions or not weight:
        return 1.0
    return rope.mscale(positions["factor"], weight) ** 2


def parts(config: ModelConfig) -> Parts:
    """DeepSeek's names. Keys and values of one head stand together there; all keys stand before all values here."""
    found = {**embeddings(config), **norm(config, "norm", "norm")}
    part, c, heads = config.attention, config.d_model, config.n_heads
    rank, turned, values = part.latent_dim or 0, part.rope_dim, config.value_dim
    order = Change(
        lambda x: _keys_first(x, heads, config.head_dim), lambda x: _heads_first(x, heads, config.head_dim, values)
    )
    shape = (heads * (config.head_dim + values), rank)
    for layer in range(config.n_layers):
        ours, theirs = f"blocks.{layer}", f"layers.{layer}"
        found |= norm(config, f"{ours}.norm1", f"{theirs}.input_layernorm")
        found |= norm(config, f"{ours}.norm2", f"{theirs}.post_attention_layernorm")
        attn, name = f"{ours}.attn", f"{theirs}.self_attn"
        found |= _queries(config, attn, name)
        down = Part(f"{name}.kv_a_proj_with_mqa.weight", (rank + turned, c), _grown(config, rank))
        found[f"{attn}.down.weight"] = [down]
        found |= norm(config, f"{attn}.norm", f"{name}.kv_a_layernorm", rank)
        found[f"{attn}.up.weight"] = [Part(f"{name}.kv_b_proj.weight", shape, order)]
        found |= stacked(f"{attn}.proj", heads * values, {f"{name}.o_proj": c})
        feedforward = expert_parts if config.has_experts(layer) else gated_parts
        found |= feedforward(config, f"{ours}.mlp", f"{theirs}.mlp")
    return found


def _queries(config: ModelConfig, ours: str, theirs: str) -> Parts:
    small, width = config.attention.query_latent_dim, config.n_heads * (config.head_dim + config.rotary_dim)
    if small is None:
        return stacked(f"{ours}.query", config.d_model, {f"{theirs}.q_proj": width})
    down = Part(f"{theirs}.q_a_proj.weight", (small, config.d_model), _grown(config, small))
    return {
        f"{ours}.query_input.down.weight": [down],
        **norm(config, f"{ours}.query_input.norm", f"{theirs}.q_a_layernorm", small),
        **stacked(f"{ours}.query", small, {f"{theirs}.q_b_proj": width}),
    }


def _grown(config: ModelConfig, rank: int) -> Change:
    """Latents as large as their norm needs to have our eps: x / sqrt(|x|^2 + eps) is the same for a x and a^2 eps."""
    ratio = (config.norm.eps / LATENT_EPS) ** 0.5

    def times(factor: float):  # type: ignore[no-untyped-def]
        return lambda x: torch.cat((x[:rank] * factor, x[rank:]))

    return Change(times(ratio), times(1 / ratio))


def _keys_first(x: Tensor, heads: int, content: int) -> Tensor:
    both = x.unflatten(0, (heads, -1))
    return torch.cat((both[:, :content].flatten(0, 1), both[:, content:].flatten(0, 1)))


def _heads_first(x: Tensor, heads: int, content: int, values: int) -> Tensor:
    k, v = x.split((heads * content, heads * values))
    return torch.cat((k.unflatten(0, (heads, -1)), v.unflatten(0, (heads, -1))), 1).flatten(0, 1)


DEEPSEEK_V2 = Family("DeepSeek V2", deepseek_v2, parts)
DEEPSEEK_V3 = Family("DeepSeek V3", deepseek_v3, parts)

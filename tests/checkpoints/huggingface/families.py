"""A small random model of every family, built by transformers: odd sizes, grouped heads, biases, windows."""

from __future__ import annotations

import warnings

import torch
from transformers import AutoConfig, AutoModelForCausalLM

SIZES = dict(
    vocab_size=91,
    hidden_size=36,
    intermediate_size=52,
    num_hidden_layers=3,
    num_attention_heads=6,
    num_key_value_heads=2,
    max_position_embeddings=64,
    pad_token_id=0,
)
LLAMA3 = dict(
    rope_type="llama3",
    rope_theta=5000.0,
    factor=8.0,
    low_freq_factor=1.0,
    high_freq_factor=4.0,
    original_max_position_embeddings=16,
)
YARN = dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, original_max_position_embeddings=16)
LATENT = dict(
    num_key_value_heads=6,
    kv_lora_rank=14,
    qk_nope_head_dim=10,
    qk_rope_head_dim=8,
    v_head_dim=12,
    first_k_dense_replace=3,
    n_routed_experts=2,
    n_shared_experts=1,
    num_experts_per_tok=1,
)
EXPERTS = dict(num_experts=5, num_experts_per_tok=2, moe_intermediate_size=10)
ROUTED = LATENT | dict(
    first_k_dense_replace=1, n_routed_experts=6, n_shared_experts=2, num_experts_per_tok=3, moe_intermediate_size=9
)
NEOX = dict(num_key_value_heads=..., hidden_size=48)  # it knows no such key
GEMMA = dict(head_dim=8, query_pre_attn_scalar=20, sliding_window=5)

# Name -> model_type, and what differs from SIZES.
CASES: dict[str, tuple[str, dict]] = {
    "llama": ("llama", {}),
    "llama tied, wide heads, biases": (
        "llama",
        dict(tie_word_embeddings=True, head_dim=10, attention_bias=True, mlp_bias=True, rms_norm_eps=1e-3),
    ),
    "llama 3": ("llama", dict(rope_parameters=LLAMA3)),
    "llama, linear, gelu": (
        "llama",
        dict(rope_parameters=dict(rope_type="linear", rope_theta=10000.0, factor=3.0), hidden_act="gelu"),
    ),
    "llama, yarn": ("llama", dict(rope_parameters=YARN)),
    "mistral": ("mistral", dict(sliding_window=5)),
    "mistral without window": ("mistral", dict(sliding_window=None)),
    "smollm3": ("smollm3", dict(num_hidden_layers=5, no_rope_layer_interval=2)),
    "smollm3 with windows": ("smollm3", dict(num_hidden_layers=5, use_sliding_window=True, sliding_window=4)),
    "stablelm": (
        "stablelm",
        dict(
            use_qkv_bias=True,
            hidden_size=96,
            rope_parameters=dict(rope_type="default", rope_theta=10000.0, partial_rotary_factor=0.5),
        ),
    ),
    "stablelm parallel": ("stablelm", dict(use_parallel_residual=True, hidden_size=96)),
    "qwen2": ("qwen2", {}),
    "qwen2 with windows": ("qwen2", dict(use_sliding_window=True, sliding_window=6, max_window_layers=1)),
    "qwen3": ("qwen3", dict(head_dim=12)),
    "qwen3 tied, biases, yarn": (
        "qwen3",
        dict(head_dim=8, tie_word_embeddings=True, attention_bias=True, rope_parameters={**YARN, "beta_fast": 8.0}),
    ),
    "phi": ("phi", dict(hidden_size=48)),
    "phi3": ("phi3", dict(sliding_window=7, original_max_position_embeddings=64)),
    "phi3 partly turned": (
        "phi3",
        dict(hidden_size=48, rope_parameters=dict(rope_type="default", rope_theta=10000.0, partial_rotary_factor=0.75)),
    ),
    "olmo2": ("olmo2", {}),
    "olmo2 with biases": ("olmo2", dict(attention_bias=True, tie_word_embeddings=True, rms_norm_eps=1e-6)),
    "gemma2": ("gemma2", dict(**GEMMA, num_hidden_layers=4, attn_logit_softcapping=0.7, final_logit_softcapping=2.0)),
    "gemma2 without bounds": (
        "gemma2",
        dict(**GEMMA, num_hidden_layers=4, attn_logit_softcapping=None, final_logit_softcapping=None),
    ),
    "gemma3": ("gemma3_text", dict(**GEMMA, num_hidden_layers=7)),
    "gemma3 scaled": (
        "gemma3_text",
        dict(
            **GEMMA,
            num_hidden_layers=7,
            rope_parameters=dict(
                full_attention=dict(rope_type="linear", factor=8.0, rope_theta=1e6),
                sliding_attention=dict(rope_type="default", rope_theta=1e4),
            ),
        ),
    ),
    "gpt2": ("gpt2", dict(n_embd=36, n_layer=3, n_head=6, n_positions=64, vocab_size=91)),
    "gpt2 untied": (
        "gpt2",
        dict(
            n_embd=36,
            n_layer=3,
            n_head=6,
            n_positions=64,
            vocab_size=91,
            n_inner=50,
            activation_function="gelu",
            tie_word_embeddings=False,
            layer_norm_epsilon=1e-3,
        ),
    ),
    "gpt_neox": ("gpt_neox", NEOX),
    "gpt_neox in turn": ("gpt_neox", NEOX | dict(use_parallel_residual=False, attention_bias=False)),
    "deepseek_v2": ("deepseek_v2", LATENT | dict(q_lora_rank=None)),
    "deepseek_v2 with c_Q": ("deepseek_v2", LATENT | dict(q_lora_rank=16, rms_norm_eps=1e-2)),
    "deepseek_v3": (
        "deepseek_v3",
        LATENT | dict(q_lora_rank=16, rope_parameters={**YARN, "mscale": 1.0, "mscale_all_dim": 0.7}),
    ),
    "deepseek_v3, halves": ("deepseek_v3", LATENT | dict(q_lora_rank=None, rope_interleave=False)),
    "mixtral": ("mixtral", dict(num_local_experts=5, sliding_window=6)),
    "mixtral, wide choice": ("mixtral", dict(num_local_experts=4, num_experts_per_tok=3, tie_word_embeddings=True)),
    "qwen2_moe": ("qwen2_moe", EXPERTS | dict(shared_expert_intermediate_size=14, mlp_only_layers=[0])),
    "qwen2_moe, every second": (
        "qwen2_moe",
        EXPERTS | dict(shared_expert_intermediate_size=14, norm_topk_prob=True, decoder_sparse_step=2, qkv_bias=False),
    ),
    "qwen3_moe": ("qwen3_moe", EXPERTS | dict(head_dim=8, norm_topk_prob=True)),
    "qwen3_moe with windows": (
        "qwen3_moe",
        EXPERTS | dict(use_sliding_window=True, sliding_window=5, attention_bias=True, mlp_only_layers=[1]),
    ),
    "deepseek_v3, experts": ("deepseek_v3", ROUTED | dict(q_lora_rank=16, n_group=3, topk_group=2)),
    "deepseek_v3, one group": (
        "deepseek_v3",
        ROUTED | dict(q_lora_rank=None, n_group=1, topk_group=1, norm_topk_prob=False, routed_scaling_factor=1.0),
    ),
    "deepseek_v2, experts": (
        "deepseek_v2",
        ROUTED | dict(q_lora_rank=None, topk_method="group_limited_greedy", n_group=3, topk_group=2),
    ),
    "deepseek_v2, greedy": (
        "deepseek_v2",
        ROUTED | dict(q_lora_rank=16, topk_method="greedy", routed_scaling_factor=2.0),
    ),
}


def build(name: str, seed: int = 0):
    """The model of a case in eager attention, with weights so large that every head prefers some tokens."""
    kind, changes = CASES[name]
    sizes = {} if kind == "gpt2" else SIZES
    values = {key: value for key, value in {**sizes, **changes}.items() if value is not ...}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        config = AutoConfig.for_model(kind, **values)
        if "num_experts_per_tok" in values:
            config._experts_implementation = "eager"  # the others ask for sizes that are multiples of 4
        model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            around = parameter.mean() if parameter.ndim == 1 else 0.0  # a norm's gain is around 1, or around 0
            parameter.copy_(around + 0.2 * torch.randn(parameter.shape, generator=generator))
        for name, buffer in model.named_buffers():
            if name.endswith("e_score_correction_bias"):
                buffer.copy_(0.2 * torch.randn(buffer.shape, generator=generator))
    return model

"""Our language models as folders that `AutoModelForCausalLM.from_pretrained` of transformers opens.

A target is an architecture there that may express a model. Whether it does is not claimed but read back: the settings
that are written must mean the model's own configuration to the family that reads them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer as HFTokenizer
from tokenizers import processors
from torch import Tensor

from tlmviz.config import ModelConfig, MTPConfig, ParallelMTPConfig, PositionsConfig
from tlmviz.errors import BadCheckpoint, BadConfig, CannotExport
from tlmviz.networks.transformer import TransformerLM
from tlmviz.tokens import Tokenizer

from .. import native
from ..layouts import half_split, in_half_split
from . import deepseek, gpt2, llama
from .family import ACTIVATIONS, GATES, Family
from .settings import Settings

Values = dict[str, Any]  # of a config.json


@dataclass(frozen=True)
class Target:
    """An architecture of transformers: its class, its model_type, our family of it, and its settings of a
    configuration."""

    architecture: str
    model_type: str
    family: Family
    settings: Callable[[ModelConfig], Values]


def export(folder: Path, network: TransformerLM, tokenizer: Tokenizer) -> str:
    """Write config.json, model.safetensors (float32), tokenizer.json and tokenizer_config.json; returns the model_type.

    transformers turns the halves of a head where our models turn neighbours: rows of W_Q and W_K are put in that order,
    which changes no score. Raises CannotExport for a model that no architecture there expresses.
    """
    target, config = choose(network.config)
    if not tokenizer.ends:
        raise CannotExport(
            "No token of this model ends a text, which one that is exported has; give its folder an eos_token."
        )
    folder.mkdir(parents=True, exist_ok=True)
    end = tokenizer.end_of_text
    values = target.settings(config) | {
        "architectures": [target.architecture],
        "model_type": target.model_type,
        "dtype": "float32",
        "bos_token_id": end,
        "eos_token_id": end,
        "pad_token_id": None,
    }
    (folder / "config.json").write_text(json.dumps(values, indent=2) + "\n")
    native.write_weights(folder, _weights(network, config, target.family), torch.float32)
    _write_tokenizer(folder, tokenizer, config.context)
    return target.model_type


def choose(config: ModelConfig) -> tuple[Target, ModelConfig]:
    """The architecture that expresses a model, and its configuration there. Raises CannotExport."""
    twin = half_split(config)
    for target in TARGETS:
        if _expresses(target, twin):
            return target, twin
    reason = next((text.format(c=config) for applies, text in REASONS if applies(config)), "its parts together")
    raise CannotExport(
        f"{config.name} cannot be written for transformers: no architecture that tlmviz writes has {reason}; "
        "export another model, such as stories-rope."
    )


def _expresses(target: Target, config: ModelConfig) -> bool:
    try:
        fields = target.family.fields(Settings("", target.settings(config)))
        return essence(ModelConfig.of("", **fields)) == essence(config)
    except (BadConfig, BadCheckpoint):  # settings that this architecture cannot have
        return False


def essence(config: ModelConfig) -> tuple[ModelConfig, tuple[object, ...]]:
    """What decides a model's numbers, the same for two configurations that say the same in other words."""
    part, positions, kept = config.attention, config.positions, config.positions.kind == "rope"
    own = [config.layer(layer) for layer in range(config.n_layers)]
    layers = tuple((one.window, (one.rope_base, one.scaled) if kept and one.rotary else None) for one in own)
    if kept and all(rope is None for _, rope in layers):
        positions = PositionsConfig(kind="none")
    if positions.kind != "rope":
        positions = replace(
            positions, layout="half", distances=positions.distances if positions.kind == "relative" else 32
        )
    attention = replace(
        part,
        head_dim=config.head_dim,
        value_dim=None if part.latent_dim is None else config.value_dim,
        scale=part.scale or (config.head_dim + part.rope_dim) ** -0.5,
        window=None,
        dropout=0.0,
    )
    said = replace(
        config,
        name="",
        description="",
        dropout=0.0,
        attention=attention,
        positions=replace(positions, rope_base=10000.0),
        layers=(),
    )
    return said, layers


# --- settings ---------------------------------------------------------------------------------------


def _sizes(config: ModelConfig) -> Values:
    return {
        "vocab_size": config.vocab_size,
        "hidden_size": config.d_model,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        "num_key_value_heads": config.n_kv_heads,
        "intermediate_size": config.feedforward.hidden,
        "hidden_act": _spelt(GATES, config.feedforward.kind),
        "max_position_embeddings": config.context,
        "tie_word_embeddings": config.tied,
        "rope_parameters": {"rope_type": "default", "rope_theta": config.layer(0).rope_base},
    }


def _llama(config: ModelConfig) -> Values:
    return _sizes(config) | {
        "head_dim": config.head_dim,
        "rms_norm_eps": config.norm.eps,
        "attention_bias": config.attention.q_bias,
        "mlp_bias": config.feedforward.bias,
    }


def _mistral(config: ModelConfig) -> Values:
    return _sizes(config) | {
        "head_dim": config.head_dim,
        "rms_norm_eps": config.norm.eps,
        "sliding_window": config.layer(0).window,
    }


def _smollm3(config: ModelConfig) -> Values:
    turns = [int(config.positions.kind == "rope" and config.layer(layer).rotary) for layer in range(config.n_layers)]
    return _llama(config) | {"no_rope_layers": turns, "layer_types": ["full_attention"] * config.n_layers}


def _stablelm(config: ModelConfig) -> Values:
    rope = _sizes(config)["rope_parameters"] | {"partial_rotary_factor": 1.0}
    biased = config.attention.q_bias
    return _sizes(config) | {
        "layer_norm_eps": config.norm.eps,
        "use_qkv_bias": biased,
        "rope_parameters": rope,
        "partial_rotary_factor": 1.0,
    }


def _gpt2(config: ModelConfig) -> Values:
    return {
        "vocab_size": config.vocab_size,
        "n_embd": config.d_model,
        "n_layer": config.n_layers,
        "n_head": config.n_heads,
        "n_inner": config.feedforward.hidden,
        "n_positions": config.context,
        "activation_function": _spelt(ACTIVATIONS, config.feedforward.kind),
        "layer_norm_epsilon": config.norm.eps,
        "tie_word_embeddings": config.tied,
    }


def _deepseek(config: ModelConfig) -> Values:
    part = config.attention
    return _sizes(config) | {
        "rms_norm_eps": config.norm.eps,
        "kv_lora_rank": part.latent_dim,
        "q_lora_rank": part.query_latent_dim,
        "qk_nope_head_dim": config.head_dim,
        "qk_rope_head_dim": part.rope_dim,
        "v_head_dim": config.value_dim,
        "rope_interleave": config.positions.layout == "interleaved",
        "first_k_dense_replace": config.n_layers,  # no layer has experts
    }


def _spelt(names: Mapping[str, str], kind: str) -> str:
    """Their name of an activation; one that none of theirs has is refused where it is read back."""
    return next((theirs for theirs, ours in names.items() if ours == kind), "none")


TARGETS = (
    Target("LlamaForCausalLM", "llama", llama.LLAMA, _llama),
    Target("MistralForCausalLM", "mistral", llama.MISTRAL, _mistral),
    Target("SmolLM3ForCausalLM", "smollm3", llama.SMOLLM3, _smollm3),
    Target("StableLmForCausalLM", "stablelm", llama.STABLELM, _stablelm),
    Target("GPT2LMHeadModel", "gpt2", gpt2.GPT2, _gpt2),
    Target("DeepseekV3ForCausalLM", "deepseek_v3", deepseek.DEEPSEEK_V3, _deepseek),
)
# Why a model is refused: the first that applies.
REASONS: tuple[tuple[Callable[[ModelConfig], bool], str], ...] = (
    (lambda c: c.experts.count > 0, "experts, of which {c.experts.count} are here"),
    (lambda c: isinstance(c, MTPConfig), "modules that look ahead"),
    (lambda c: isinstance(c, ParallelMTPConfig), "heads that look ahead"),
    (lambda c: c.connection.kind != "residual", "several residual streams ({c.connection.kind} connections)"),
    (lambda c: c.norm.placement == "post", "norms behind the addition with these parts (post-norm)"),
    (lambda c: c.positions.kind == "alibi", "ALiBi with these parts"),
    (lambda c: c.positions.kind == "relative", "relative positions of this kind"),
    (lambda c: c.positions.kind == "sinusoidal", "sinusoidal positions with these parts"),
    (
        lambda c: c.positions.kind == "learned",
        "learned positions beside {c.norm.kind} and {c.feedforward.kind}: GPT-2 has LayerNorm, GELU and biases",
    ),
)


# --- weights ----------------------------------------------------------------------------------------


def _weights(network: TransformerLM, config: ModelConfig, family: Family) -> dict[str, Tensor]:
    """Every tensor under its name there, rows of queries and keys in the order of `config`'s layout."""
    state = native.own_weights(network)
    if network.config.positions.layout != config.positions.layout:
        state = in_half_split(network.config, state)
    found: dict[str, Tensor] = {}
    for ours, parts in family.parts(config).items():
        value = state[ours]
        counts = [math.prod(part.shape) // math.prod(value.shape[1:]) for part in parts]
        for part, rows in zip(parts, value.split(counts), strict=True):
            prefix = "" if part.name.startswith(f"{family.head}.") else family.prefix
            found[prefix + part.name] = rows if part.change is None else part.change.write(rows)
    return found


# --- tokenizer --------------------------------------------------------------------------------------


def _write_tokenizer(folder: Path, tokenizer: Tokenizer, context: int) -> None:
    """A tokenizer whose ids are ours: the token that ends a text also stands before each, and is never read out of
    one."""
    inner, end = HFTokenizer.from_str(tokenizer.to_json()), tokenizer.name(tokenizer.end_of_text)
    inner.post_processor = processors.TemplateProcessing(
        single=f"{end} $A", pair=f"{end} $A {end} $B", special_tokens=[(end, tokenizer.end_of_text)]
    )
    (folder / "tokenizer.json").write_text(inner.to_str(pretty=False))
    values = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": end,
        "eos_token": end,
        "model_max_length": context,
        "split_special_tokens": True,
        "clean_up_tokenization_spaces": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(values, indent=2) + "\n")

"""Edits of the routing: mute or force experts, take the bias away or put it into the mix, give experts a capacity.

Each function returns {tap name: edit} for `lm.trace(edit=...)`; `combine` of `analysis.attention.interventions` merges
them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from tlmviz.config import ModelConfig
from tlmviz.errors import BadConfig, UnknownName
from tlmviz.tracing.trace import Edit, Recording

Edits = dict[str, Edit]
FORCED = 1e6  # above every score and bias, and finite: the best of a group of experts are summed


def expert_layers(config: ModelConfig) -> list[int]:
    """The layers with experts. Raises UnknownName where there are none."""
    layers = [layer for layer in range(config.n_layers) if config.has_experts(layer)]
    if not layers:
        raise UnknownName(
            f"{config.name} has no experts, so none can be edited; load a model that has some, such as stories-moe."
        )
    return layers


def mute_experts(config: ModelConfig, experts: Iterable[tuple[int, int]]) -> Edits:
    """(layer, expert) pairs that no token can choose: the next best take their place, and the weights sum to what they
    did.

    Raises UnknownName for a layer or expert that does not exist, BadConfig where all experts of a layer are muted.
    """
    by_layer = _by_layer(config, experts)
    for layer, muted in by_layer.items():
        if len(muted) == config.experts.count:
            raise BadConfig(
                f"All {config.experts.count} experts of layer {layer} are muted, so no token can choose; leave at "
                "least one."
            )

    def mute(chosen: list[int]) -> Edit:
        return lambda choice, record: choice.index_fill(-1, _index(chosen, choice), -torch.inf)

    return {f"blocks.{layer}.mlp.choice": mute(muted) for layer, muted in by_layer.items()}


def force_experts(config: ModelConfig, experts: Iterable[tuple[int, int]]) -> Edits:
    """(layer, expert) pairs that every token chooses, in place of its last choices; the mixing weights stay the
    scores'.

    Raises UnknownName for a layer or expert that does not exist, BadConfig for more of a layer than a token chooses.
    """
    by_layer, most = _by_layer(config, experts), config.experts.chosen
    for layer, forced in by_layer.items():
        if len(forced) > most:
            raise BadConfig(
                f"{len(forced)} experts of layer {layer} are forced, and a token chooses {most}; force at most {most}."
            )

    def force(chosen: list[int]) -> Edit:
        def edit(choice: Tensor, record: Recording) -> Tensor:  # [B, T, E]
            where = _index(chosen, choice)
            return choice.index_copy(-1, where, choice.index_select(-1, where) + FORCED)

        return edit

    return {f"blocks.{layer}.mlp.choice": force(forced) for layer, forced in by_layer.items()}


def without_bias(config: ModelConfig) -> Edits:
    """The choice by the scores alone, in every layer."""
    return {f"blocks.{layer}.mlp.bias": lambda bias, record: bias * 0 for layer in expert_layers(config)}


def bias_in_the_mix(config: ModelConfig) -> Edits:
    """The bias in the mixing weights too, as 003 section 6.3 writes it: scores plus bias, not below 0, are normalised.

    The choice stays what it was.
    """

    def add(layer: int) -> Edit:
        def edit(mixed: Tensor, record: Recording) -> Tensor:  # [B, T, E]
            return (mixed + record.values[f"blocks.{layer}.mlp.bias"]).clamp_min(0)

        return edit

    edits: Edits = {}
    for layer in expert_layers(config):
        edits |= _held(layer, "bias") | {f"blocks.{layer}.mlp.mixed": add(layer)}
    return edits


def limit_capacity(config: ModelConfig, factor: float) -> Edits:
    """Experts that read `factor` times their even share and no more: for later tokens of the text the expert says
    nothing.

    What the other chosen expert says keeps its weight (Switch Transformer, section 2.2). Raises BadConfig for a factor
    that is not positive.
    """
    if not 0 < factor < math.inf:
        raise BadConfig(f"The capacity factor is {factor}; give a positive number, such as 1.25.")

    def drop(layer: int) -> Edit:
        def edit(weights: Tensor, record: Recording) -> Tensor:  # [B, T, k]
            chosen = record.values[f"blocks.{layer}.mlp.chosen"]
            beyond = torch.stack([over_capacity(one, config.experts.count, factor) for one in chosen])
            return weights.masked_fill(beyond, 0.0)

        return edit

    edits: Edits = {}
    for layer in expert_layers(config):
        edits |= _held(layer, "chosen") | {f"blocks.{layer}.mlp.weights": drop(layer)}
    return edits


def capacity(tokens: int, chosen: int, experts: int, factor: float) -> int:
    """How many of T tokens, each with k choices, one of E experts reads: ceil(factor T k / E)."""
    return math.ceil(factor * tokens * chosen / experts)


def over_capacity(chosen: Int[Tensor, "t k"], experts: int, factor: float) -> Bool[Tensor, "t k"]:
    """Which choices find their expert full. Earlier tokens come first; of one token, its better choice."""
    one_hot = torch.nn.functional.one_hot(chosen.flatten(), experts)  # [T k, E], in the order of service
    place = (one_hot.cumsum(0) * one_hot).sum(-1)  # from 1
    tokens, choices = chosen.shape
    return (place > capacity(tokens, choices, experts, factor)).view_as(chosen)


def _by_layer(config: ModelConfig, experts: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    layers, by_layer = expert_layers(config), dict[int, list[int]]()
    for layer, expert in experts:
        if layer not in layers:
            raise UnknownName(f"Layer {layer} has no experts; choose one of layers {', '.join(map(str, layers))}.")
        if not 0 <= expert < config.experts.count:
            raise UnknownName(f"There is no expert {expert}; this model has experts 0 to {config.experts.count - 1}.")
        if expert not in by_layer.setdefault(layer, []):
            by_layer[layer].append(expert)
    return by_layer


def _held(layer: int, part: str) -> Edits:
    """Keeps a tensor for a later edit of the same pass, whether the trace keeps it or not."""

    def hold(value: Tensor, record: Recording) -> Tensor:
        record.values[f"blocks.{layer}.mlp.{part}"] = value
        return value

    return {f"blocks.{layer}.mlp.{part}": hold}


def _index(chosen: list[int], like: Tensor) -> Tensor:
    return torch.tensor(chosen, device=like.device)

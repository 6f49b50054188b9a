"""Measures of a traced text's routing: loads, balance, what the bias decides, and how it would mix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from torch import Tensor

from tlmviz.config import ExpertsConfig, ModelConfig
from tlmviz.layers.experts import within_groups
from tlmviz.networks.transformer import count_parameters, feedforward_parameters
from tlmviz.routing import Routing
from tlmviz.tracing.trace import Trace

from ..caches.cost import step_flops
from .edits import over_capacity


def loads(trace: Trace) -> Int[np.ndarray, "l e"]:
    """How many tokens of the text each expert of each layer with experts reads."""
    return np.stack([trace.routing(layer).load.numpy() for layer in trace.expert_layers])


@dataclass(frozen=True)
class Balance:
    """How evenly experts are loaded.

    `violation` is the largest load over the mean, less 1 (MaxVio, Wang et al. 2024): 0 when even, E / k - 1 when every
    token goes to the same k. `entropy` is that of the shares in bits, at most log2 E; `idle` counts experts that
    nothing reads.
    """

    violation: float
    entropy: float
    idle: int


def balance(load: np.ndarray) -> Balance:
    """Of one layer's loads [E]; of no tokens at all everything is 0."""
    total = float(load.sum())
    if not total:
        return Balance(0.0, 0.0, len(load))
    shares = load / total
    busy = shares[shares > 0]
    return Balance(float(shares.max() * len(load) - 1), float(-(busy * np.log2(busy)).sum()), int((load == 0).sum()))


def choice_without_bias(routing: Routing, part: ExpertsConfig | None = None) -> Int[Tensor, "t k"]:
    """The experts that the scores alone would choose. Of a model whose experts lie in groups `part` is its
    `config.experts`."""
    scores = routing.scores if part is None else within_groups(routing.scores[None], part)[0]
    return scores.topk(routing.chosen.shape[-1], -1).indices


def changed_by_bias(routing: Routing, part: ExpertsConfig | None = None) -> Bool[Tensor, " t"]:
    """Whether a token reads other experts than its scores alone would choose; `part` as for `choice_without_bias`."""
    here, other = routing.chosen.sort(-1).values, choice_without_bias(routing, part).sort(-1).values
    return (here != other).any(-1)


@dataclass(frozen=True, eq=False)
class Readings:
    """Mixing weights [T, k] of the chosen experts in two readings of 003 section 6.3.

    `without` is the model's: the bias chooses and stays out. `with_bias` puts scores plus bias, not below 0, in the
    scores' place. `notes` is the formula as the notes print it, a softmax over the chosen of logits plus bias.
    """

    without: Float[Tensor, "t k"]
    with_bias: Float[Tensor, "t k"]
    notes: Float[Tensor, "t k"]

    @property
    def difference(self) -> float:
        """The largest difference that the bias in the mix makes to any weight."""
        return float((self.with_bias - self.without).abs().max())


def mixing_readings(trace: Trace, layer: int) -> Readings:
    """Both readings of the mixing weights, of the experts that the model chose. Raises UnknownName."""
    routing = trace.routing(layer)
    total = routing.weights.sum(-1, keepdim=True)
    biased = (routing.scores + routing.bias).clamp_min(0).gather(-1, routing.chosen)
    logits = trace[f"blocks.{layer}.mlp.router_logits"][0].float() + routing.bias
    return Readings(
        routing.weights,
        total * biased / biased.sum(-1, keepdim=True).clamp_min(1e-20),
        total * logits.gather(-1, routing.chosen).softmax(-1),
    )


def dropped(routing: Routing, factor: float) -> Bool[Tensor, "t k"]:
    """Which choices of a traced text would find their expert full, were its capacity `factor` times the even share."""
    return over_capacity(routing.chosen, routing.count, factor)


@dataclass(frozen=True)
class Size:
    """`total` parameters are in memory, `active` ones met by a token; `flops` are a token's at a place in the text,
    `dense_flops` those that it would take if every expert read it."""

    total: int
    active: int
    flops: int
    dense_flops: int


def size(config: ModelConfig, length: int) -> Size:
    """Parameters, and operations of the token at position `length` with the cache (as torch counts them)."""
    total = count_parameters(config)
    unread = sum(
        feedforward_parameters(config, layer) - feedforward_parameters(config, layer, active=True)
        for layer in range(config.n_layers)
    )
    flops = step_flops(config, length).total
    return Size(total, total - unread, flops, flops + 2 * unread)

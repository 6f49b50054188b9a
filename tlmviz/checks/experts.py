"""The identities of models with experts: what is chosen, what is mixed, and that nothing is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..analysis.experts import edits
from ..layers import Experts
from ..tracing.trace import Trace
from .cases import has_choice_bias, has_experts, has_normalised_experts, reading
from .registry import identity
from .result import ROUNDING, beside_largest, worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


@identity(
    "Mixing weights sum to 1",
    "each token's mixing weights sum to 1, or to the scale that the model gives them",
    1e-5,
    when=has_normalised_experts,
    inputs=reading,
    quick=True,
)
def mixing_weights_sum_to_one(lm: LanguageModel, trace: Trace) -> float:
    """The weights of the chosen experts share out one whole, in every layer with experts."""
    sums = [trace.routing(layer).weights.sum(-1) for layer in trace.expert_layers]
    return worst(torch.stack(sums) / lm.config.experts.scaling - 1)


@identity(
    "Experts = dense sum",
    "what the chosen experts say equals the sum over all experts, with weight 0 for those not chosen",
    ROUNDING,
    "of the largest number",
    when=has_experts,
    inputs=reading,
)
def experts_equal_dense_sum(lm: LanguageModel, trace: Trace) -> float:
    """Tokens sorted by expert give what every expert reading every token would, weighted."""
    errors = []
    for layer in trace.expert_layers:
        read, routed = trace.tensors([f"blocks.{layer}.mlp.{part}" for part in ("read", "routed")]).values()
        experts, mixing = lm.on_cpu.network.blocks[layer].mlp, trace.routing(layer).mixing
        assert isinstance(experts, Experts)
        said = torch.stack([experts.expert(e, read[0]) for e in range(mixing.shape[1])])  # [E, T, C]
        errors.append(beside_largest(routed[0], torch.einsum("te, etc -> tc", mixing, said)))
    return max(errors)


@identity(
    "Bias stays out of the mix",
    "the mixing weights are those that the scores alone give the chosen experts",
    1e-6,
    when=has_choice_bias,
    inputs=reading,
    quick=True,
)
def bias_stays_out_of_the_mix(lm: LanguageModel, trace: Trace) -> float:
    """The bias chooses, and no mixing weight has it in it (DeepSeek-V3, Eq. 16)."""
    part, errors = lm.config.experts, []
    for layer in trace.expert_layers:
        routing = trace.routing(layer)
        weights = routing.scores.gather(-1, routing.chosen).double()
        if part.normalised:
            weights = weights / weights.sum(-1, keepdim=True)
        errors.append(worst(part.scaling * weights - routing.weights))
    return max(errors) / part.scaling


@identity(
    "A muted expert reads nothing",
    "the busiest expert of each layer, muted, is chosen by no token",
    0.0,
    "tokens",
    when=has_experts,
    inputs=reading,
)
def muted_load_is_zero(lm: LanguageModel, trace: Trace) -> float:
    """Muting takes an expert out of every choice."""
    busiest = [(layer, int(trace.routing(layer).load.argmax())) for layer in trace.expert_layers]
    muted = lm.trace_ids(trace.ids, edit=edits.mute_experts(lm.config, busiest))
    return float(max(muted.routing(layer).load[expert] for layer, expert in busiest))

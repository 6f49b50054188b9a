"""Direct logit attribution: what every head and every MLP adds to one logit, with the final norm's scale held fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.analysis.streams.unrolled import final_streams, output_taps, readout_coefficients, state_taps
from tlmviz.errors import BadShape
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace


@dataclass(frozen=True)
class Attribution:
    """The parts of one logit: they sum to it. `rest` holds what no part of the network's layers says: biases, and what
    the bound on logits takes off."""

    heads: Float[Tensor, "l h"]
    mlps: Float[Tensor, " l"]
    embedding: float
    rest: float
    logit: float

    @property
    def total(self) -> float:
        """The sum of all parts."""
        return float(self.heads.double().sum() + self.mlps.double().sum()) + self.embedding + self.rest


def can_attribute(lm: LanguageModelLike, trace: Trace) -> bool:
    """Whether the final stream is the plain sum of what heads and MLPs give: with norms behind sublayers it is not."""
    return lm.config.norm.final and "blocks.0.added_attn" not in trace.tap_names


def read_taps(layers: int) -> list[str]:
    """Names of the tensors that `attribute_logit` reads of a model with so many layers."""
    return ["embed", *output_taps(layers), *_heads_taps(layers), state_taps(layers)[-1]]


def _heads_taps(layers: int) -> list[str]:
    return [f"blocks.{layer}.attn.z" for layer in range(layers)]


def attribute_logit(lm: LanguageModelLike, trace: Trace, position: int, token: int) -> Attribution:
    """What each head and each MLP adds to one token's logit after one position.

    The stream in front of the final norm is a sum, and so is the logit once the norm divides by its actual scale, as if
    that did not depend on the parts (a frozen norm): taking a part away would change the scale too, so a part's share
    is what it says here, not what the logit would lose without it. A head's output is its slice of the output
    projection. With several streams every part comes with the coefficient that mixing left of it. Raises BadShape where
    the stream is no such sum.
    """
    if not can_attribute(lm, trace):
        raise BadShape(
            "This model normalises what its sublayers add, so that no logit is a sum of what they give; "
            "choose a model with pre-norm blocks."
        )
    layers, network = trace.n_layers, lm.on_cpu.network
    outputs, heads_taps = output_taps(layers), _heads_taps(layers)
    found = trace.tensors(read_taps(layers))
    weights = readout_coefficients(trace)[:, position]  # [1 + 2 L]
    with torch.inference_mode():
        heads, biases = [], torch.zeros_like(found["embed"][0, position])
        for layer, tap in enumerate(heads_taps):
            z, proj = found[tap][0, :, position], network.blocks[layer].attn.proj  # [H, E], C x H E
            split = proj.weight.unflatten(1, z.shape)  # [C, H, E]
            heads.append(torch.einsum("che,he->hc", split, z) * weights[1 + 2 * layer])
            if proj.bias is not None:
                biases = biases + proj.bias * weights[1 + 2 * layer]
        mlps = [found[outputs[2 * layer + 1]][0, position] * weights[2 + 2 * layer] for layer in range(layers)]
        parts = torch.stack([*torch.cat(heads), *mlps, found["embed"][0, position] * weights[0], biases])
        shares, fixed = _read_out(network, lm.config.norm.kind, final_streams(trace)[position].mean(0), parts, token)
    head_count = layers * trace.n_heads
    logit = trace.logits_at(position)[token].item()
    unbound = shares.double().sum().item() + fixed
    bound = float(network.bound(torch.tensor(unbound))) - unbound
    return Attribution(
        shares[:head_count].unflatten(0, (layers, -1)),
        shares[head_count : head_count + layers],
        shares[-2].item(),
        shares[-1].item() + fixed + bound,
        logit,
    )


def compared(
    lm: LanguageModelLike, trace: Trace, heads: Sequence[tuple[int, int]], position: int, token: int
) -> list[float]:
    """What heads (layer, head) add to one token's logit after one position, all in the same unknown unit above 0,
    without a further pass: it tells which adds most. Raises BadShape where `can_compare` is false."""
    if not can_compare(lm, trace):
        raise BadShape("Heads of this model are not compared without a further pass; use `attribute_logit`.")
    network, found = lm.on_cpu.network, []
    direction = _read_by(network, lm.config.norm.kind, token)
    values = trace.tensors([f"blocks.{layer}.attn.v" for layer, _ in heads])
    with torch.inference_mode():
        for layer, head in heads:
            v = values[f"blocks.{layer}.attn.v"][0].cpu()  # [G, T, E]
            [weights] = trace.attention(layer, head, slice(position, position + 1))
            z = weights @ v[head * len(v) // trace.n_heads]
            split = network.blocks[layer].attn.proj.weight.unflatten(1, (trace.n_heads, -1))  # [C, H, E]
            found.append(float(direction @ (split[:, head] @ z)))
    return found


def can_compare(lm: LanguageModelLike, trace: Trace) -> bool:
    """Whether a logit is a sum of what heads give in which each counts as it is: one stream, normed at its end
    alone."""
    return lm.config.connection.kind == "residual" and can_attribute(lm, trace)


def _read_by(network: Any, kind: str, token: int) -> Float[Tensor, " c"]:
    """`frozen_direction` but for the scale of the stream."""
    direction: Tensor = network.norm.weight * network.head.weight[token]
    # It takes every part's mean off.
    return direction - direction.mean() if kind == "layernorm" else direction


def frozen_direction(network: Any, kind: str, stream: Float[Tensor, " c"], token: int) -> Float[Tensor, " c"]:
    """What a part of a final stream is multiplied by to give its share of a token's logit, the final norm's scale held
    fixed."""
    size = stream.var(unbiased=False) if kind == "layernorm" else stream.square().mean()
    return _read_by(network, kind, token) / (size + network.norm.eps).sqrt()


def _read_out(network: Any, kind: str, stream: Tensor, parts: Tensor, token: int) -> tuple[Tensor, float]:
    """What the frozen final norm and the head make of parts [P, C] of a stream [C]: shares [P], and what biases add."""
    fixed = 0.0 if network.head.bias is None else float(network.head.bias[token])
    if kind == "layernorm":
        fixed += float(network.norm.bias @ network.head.weight[token])
    return parts @ frozen_direction(network, kind, stream, token), fixed

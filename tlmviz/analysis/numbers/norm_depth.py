"""How the gradient of a text's loss fares on its way down through a network, with its norms before the sublayers or
after.

Source: LLM notes, section 3.7; Xiong et al. 2020 (On Layer Normalization in the Transformer Architecture), section 3.3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from tlmviz.config import ModelConfig
from tlmviz.errors import BadText
from tlmviz.networks.transformer import TransformerLM
from tlmviz.networks.twins import drawn_from, twin, with_weights
from tlmviz.recording import Recording, recording

STREAM = ("resid_mid", "resid_post")  # taps of the stream behind attention and behind the feed-forward part


@dataclass(frozen=True)
class Flow:
    """The Euclidean norm of the loss's gradient by the stream, behind the embedding and behind every sublayer
    (`stream`, [2L + 1]), and by each sublayer's weights together, those of its norm left out (`weights`, [2L]). `loss`
    is in nats per token; all values finite or not, as they come.
    """

    loss: float
    stream: Float[np.ndarray, " s"]
    weights: Float[np.ndarray, " p"]


def flow(network: TransformerLM, ids: list[int]) -> Flow:
    """Attention and feed-forward alternate from the first layer to the last. Raises BadText for a text of one token."""
    loss, streams, weights = gradients(network, ids)
    parts = [f"blocks.{layer}.{part}." for layer in range(len(network.blocks)) for part in ("attn", "mlp")]
    return Flow(
        loss,
        np.array([_norm([each]) for each in streams.values()]),
        np.array([_norm([g for name, g in weights.items() if name.startswith(part)]) for part in parts]),
    )


def gradients(network: TransformerLM, ids: list[int]) -> tuple[float, dict[str, Tensor], dict[str, Tensor | None]]:
    """The loss, and its gradients by the stream at its taps and by the weights, each by name. Nothing is dropped
    out."""
    if len(ids) < 2:
        raise BadText("The text has one token, so there is no loss and no gradient; type at least one more.")
    network = twin(network).eval()
    weights = {name: p.detach().clone().requires_grad_() for name, p in network.named_parameters()}
    with torch.enable_grad(), recording(_is_stream) as record:
        loss = loss_of(network, ids, weights)
    streams = record.values
    found = torch.autograd.grad(loss, [*streams.values(), *weights.values()], allow_unused=True)
    return loss.item(), dict(zip(streams, found)), dict(zip(weights, found[len(streams) :]))


def loss_of(network: TransformerLM, ids: list[int], weights: dict[str, Tensor] | None = None) -> Tensor:
    """The text's loss in nats per token, with these weights in place of the network's own."""
    text = torch.tensor([ids], device=network.device)
    logits = with_weights(network, weights or {}, text)
    return F.cross_entropy(logits[0, :-1].float(), text[0, 1:])


def slope(network: TransformerLM, ids: list[int], place: str, direction: Tensor, step: float) -> float:
    """How fast the loss rises when the stream at a tap is moved along a direction of length 1: measured, without
    autograd."""
    ends = []
    for way in (step, -step):

        def moved(x: Tensor, record: Recording, way: float = way) -> Tensor:
            return x + way * direction

        with torch.no_grad(), recording(lambda name: False, {place: moved}):
            ends.append(loss_of(network, ids).item())
    return (ends[0] - ends[1]) / (2 * step)


def before_training(config: ModelConfig, layers: int, seed: int = 0) -> TransformerLM:
    """A network of so many layers with the weights that training would start from."""
    with drawn_from(seed):
        return TransformerLM(config.with_(n_layers=layers)).eval().requires_grad_(False)


def _is_stream(name: str) -> bool:
    return name == "embed" or name.endswith(STREAM)


def _norm(gradients: Iterable[Tensor | None]) -> float:
    there = [each.double().square().sum() for each in gradients if each is not None]
    return torch.stack(there).sum().sqrt().item() if there else 0.0

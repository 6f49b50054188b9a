"""A trained model run with fewer Sinkhorn iterations than it was trained with: what that does to loss, gains and
text."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz import kernels
from tlmviz.analysis.attention.interventions import Edits
from tlmviz.layers.streams import gains
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import recording
from tlmviz.tracing.trace import Recording

from .mixing import PARTS, Mixing, composite, mixing_of, places


@dataclass(frozen=True)
class Rerun:
    """One pass: mean loss in nats, its matrices, and the gain of all H_res together, the largest over tokens."""

    iterations: int
    loss: float
    forward: float
    mixing: Mixing


def with_iterations(layers: int, iterations: int) -> Edits:
    """Edits that make every H_res anew from its logits with so many Sinkhorn iterations; 0 leaves exp(logits) as it is.

    Unlike the kernel's, exp(logits) of 0 iterations is not divided by its largest entry: nothing scales it afterwards.
    """
    edits: Edits = {}
    for place in places(layers):
        held: dict[str, Tensor] = {}

        def keep(x: Tensor, record: Recording, held: dict[str, Tensor] = held) -> Tensor:
            held["logits"] = x
            return x

        def scaled(x: Tensor, record: Recording, held: dict[str, Tensor] = held) -> Tensor:
            logits = held.pop("logits")
            return kernels.sinkhorn(logits, iterations) if iterations else logits.exp()

        edits |= {f"{place}.logits": keep, f"{place}.res": scaled}
    return edits


def rerun(lm: LanguageModelLike, text: str, iterations: int) -> Rerun:
    """A pass over a text with so many iterations, of a model whose connections are constrained."""
    layers = lm.config.n_layers
    taps = {f"{place}.{part}" for place in places(layers) for part in PARTS}
    trace = lm.trace(text, edit=with_iterations(layers, iterations), keep=taps.__contains__)
    mixed = mixing_of(trace)
    forward = whole_gain(mixed.res)
    losses = trace.loss_per_token()
    return Rerun(iterations, float(losses.mean()), forward, mixed)


def whole_gain(res: Float[Tensor, "p t n n"]) -> float:
    """The forward gain of the product of all H_res, largest over tokens: 1 where every one is doubly stochastic."""
    return float(gains(composite(res.double()))[0].max())


def written(lm: LanguageModelLike, text: str, iterations: int, tokens: int) -> str:
    """What the model writes behind a text with so many iterations, always the likeliest token."""
    edits = with_iterations(lm.config.n_layers, iterations)
    with torch.inference_mode(), recording(lambda name: False, edits):
        return lm.generate(text, max_new_tokens=tokens, temperature=0.0)

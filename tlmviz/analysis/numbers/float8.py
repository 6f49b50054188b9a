"""A language model trained with matrix products in 8 bits: E4M3 forward, E5M2 for gradients, a scale for each tensor.

Delayed scaling takes a tensor's scale from the largest numbers that it had in past steps, so that no product waits for
its own maximum; what has grown beyond is cut. Simulated: float32 arithmetic on rounded numbers, sums in FP32, as tensor
cores make them. Norms, softmax, rotations, the residual stream, experts and the weights themselves stay FP32. Sources:
LLM notes, section 6; Micikevicius et al. 2022, FP8 Formats for Deep Learning; the DelayedScaling recipe of NVIDIA's
Transformer Engine.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from tlmviz.errors import UnknownName
from tlmviz.networks.twins import with_weights
from tlmviz.protocols import LanguageModelLike

from ..samples import sample_text
from .formats import find
from .loss_scaling import batch, leaves, loss_of
from .rounded_model import Matrix, Products
from .scaling import rounded

STEPS, ROWS, LENGTH, RATE = 16, 2, 64, 1e-4
SCALINGS = DELAYED, CURRENT, NONE = "delayed", "current", "none"
FORMATS = {"x": find("e4m3"), "w": find("e4m3"), "g": find("e5m2")}  # inputs and weights; gradients by what came out


@dataclass(frozen=True)
class Kept:
    """One tensor through a run: its `largest` magnitude, the `room` that its scale left, and of its numbers how many
    were `cut` and which share of those that are not 0 `vanished`, a value for each step [N].
    """

    largest: Float[np.ndarray, " n"]
    room: Float[np.ndarray, " n"]
    cut: Int[np.ndarray, " n"]
    vanished: Float[np.ndarray, " n"]


@dataclass(frozen=True)
class Run:
    """Steps of training: the loss before each, nats per token [N], every tensor as "name.x", "name.w", "name.g", and
    how far the last step's gradient points where FP32's does at the same weights, as a cosine.
    """

    losses: Float[np.ndarray, " n"]
    tensors: dict[str, Kept]
    cosine: float

    def gradients(self) -> list[Kept]:
        """The tensors that are gradients."""
        return [kept for name, kept in self.tensors.items() if name.endswith(".g")]


@dataclass
class Scales:
    """What past steps leave for the next one's scales: each tensor's values by step, as in `Kept`."""

    scaling: str = DELAYED
    window: int = STEPS
    values: dict[str, list[tuple[float, float, int, float]]] = field(default_factory=lambda: defaultdict(list))

    def cast(self, name: str, x: Float[Tensor, "*n"]) -> Float[Tensor, "*n"]:
        """x as its format keeps it under its scale, as float32; "current" and a first step look at x itself."""
        largest, past, format = float(x.abs().max()), self.values[name], FORMATS[name[-1]]
        if self.scaling == NONE:
            room = format.largest
        elif self.scaling == CURRENT or not past:
            room = largest
        else:
            room = max(each[0] for each in past[-self.window :])
        scale = format.largest / room if room else 1.0
        kept = rounded(x * scale, format)
        there = x != 0
        vanished = float((there & (kept == 0)).sum() / there.sum().clamp(min=1))
        past.append((largest, room, int((x.abs() > room).sum()), vanished))
        return kept / scale


class _Product(torch.autograd.Function):
    """x W' [T, N] of what is left of both in 8 bits; backward dX = G W and dW = G'X, of what is left of all three."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor, scales: Scales, name: str) -> Tensor:
        ctx.scales, ctx.name = scales, name
        x, w = scales.cast(f"{name}.x", x), scales.cast(f"{name}.w", w)
        ctx.save_for_backward(x, w)
        return x @ w.T

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        x, w = ctx.saved_tensors
        g = ctx.scales.cast(f"{ctx.name}.g", gradients[0])
        return g @ w, g.T @ x, None, None


def products(weights: dict[str, Tensor], scales: Scales) -> Products:
    """While open, products with these weights, by name, are made in 8 bits, forward and backward."""
    known = [Matrix(0, name, weight) for name, weight in weights.items() if weight.ndim == 2]

    def multiply(x: Tensor, matrix: Matrix) -> Tensor:
        return _Product.apply(x, matrix.weight, scales, matrix.part)  # type: ignore[no-untyped-call]  # torch's has no types

    return Products(known, multiply)


def batches(lm: LanguageModelLike, text: str | None) -> Int[Tensor, "n b t"]:
    """What STEPS steps read: stories in ROWS rows of LENGTH, or one text again and again. Raises BadText for one
    token."""
    if text is None:
        length = min(LENGTH, lm.config.context)
        ids = lm.tokenizer.encode(sample_text())[: STEPS * ROWS * length]
        return torch.tensor(ids).view(STEPS, ROWS, length)
    return batch(lm, text).expand(STEPS, 1, -1)


def train(lm: LanguageModelLike, rows: Int[Tensor, "n b t"], scales: Scales | None) -> Run:
    """Steps of AdamW on a copy of the weights, a batch each; None is FP32. Raises UnknownName."""
    if scales and scales.scaling not in SCALINGS:
        raise UnknownName(f"There is no scaling {scales.scaling!r}; choose one of {', '.join(SCALINGS)}.")
    network, losses, cosine = lm.on_cpu.network, [], 1.0
    weights = leaves(lm)
    optimizer = torch.optim.AdamW(weights.values(), lr=RATE, foreach=False)
    for step, ids in enumerate(rows):
        loss, gradients = _gradients(network, weights, ids, scales)
        if scales and step == len(rows) - 1:
            plain = _gradients(network, weights, ids, None)[1]
            ours, theirs = (torch.cat([g.flatten() for g in each.values()]) for each in (gradients, plain))
            cosine = float(F.cosine_similarity(ours, theirs, dim=0))
        losses.append(loss)
        for name, gradient in gradients.items():
            weights[name].grad = gradient
        optimizer.step()
    values = scales.values if scales else {}
    tensors = {name: Kept(*map(np.array, zip(*steps))) for name, steps in values.items()}
    return Run(np.array(losses), tensors, cosine)


def _gradients(
    network: torch.nn.Module, weights: dict[str, Tensor], ids: Int[Tensor, "b t"], scales: Scales | None
) -> tuple[float, dict[str, Tensor]]:
    """The loss of a batch, and its gradient by each weight that it depends on."""
    with torch.enable_grad(), products(weights, scales) if scales else nullcontext():
        loss = loss_of(with_weights(network, weights, ids), ids)
        found = torch.autograd.grad(loss, list(weights.values()), allow_unused=True)
    return float(loss.detach()), {name: g for name, g in zip(weights, found) if g is not None}

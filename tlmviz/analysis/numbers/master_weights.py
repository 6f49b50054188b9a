"""Weights kept in few bits: what becomes of a training step's updates when they are added to them.

Sources: LLM notes, section 6 (master weights); Decoder-Only Transformers in Einstein Notation, section 7; Micikevicius
et al. 2018, section 3.1; Gupta et al. 2015 for stochastic rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from tlmviz.networks.twins import with_weights
from tlmviz.protocols import LanguageModelLike

from .loss_scaling import leaves, loss_of

RATE, STEPS = 3e-5, 4
MOST = 300_000  # weights that are looked at, spread evenly over all
DIE = "BF16, by a die"
STORED = {"bf16": torch.bfloat16, "fp16": torch.float16}
CUT = 16  # bits of FP32 that BF16 does without


def stochastic_bf16(x: Float[Tensor, "*n"], generator: torch.Generator) -> Float[Tensor, "*n"]:
    """Finite numbers as BF16 keeps them, in their own dtype float32, rounded up or down by a die: right in the mean.

    Up with a probability that is the share of the step to the next number that is cut off. What BF16 holds stays as it
    is.
    """
    bits = x.float().contiguous().view(torch.int32)
    drawn = torch.randint(0, 1 << CUT, bits.shape, generator=generator, dtype=torch.int32)
    # Sign and magnitude: adding to the bits moves away from zero, whatever the sign.
    return ((bits + drawn) >> CUT << CUT).view(torch.float32)


@dataclass(frozen=True)
class Updates:
    """What AdamW adds to weights in one step, for a rate of 1: `weights` and `directions`, [n] each, of so many in
    `total`."""

    weights: Float[Tensor, " n"]
    directions: Float[Tensor, " n"]
    total: int


def adamw_updates(lm: LanguageModelLike, ids: Int[Tensor, "b t"], rate: float = RATE, steps: int = STEPS) -> Updates:
    """The last of some steps of AdamW, on a row of the batch each: −(m̂ / (√v̂ + ε) + λw), of every n-th weight, MOST
    at most.

    The first step of AdamW moves each weight by the rate, whatever its gradient; after some, moments have a past.
    """
    weights = leaves(lm)
    optimizer = torch.optim.AdamW(weights.values(), lr=rate, foreach=False)
    for step in range(steps):
        with torch.enable_grad():
            row = ids[step % len(ids)][None]
            loss = loss_of(with_weights(lm.on_cpu.network, weights, row), row)
            loss.backward()
        before = {name: w.detach().clone() for name, w in weights.items()} if step == steps - 1 else {}
        optimizer.step()
        optimizer.zero_grad()
    group, total = optimizer.param_groups[0], sum(w.numel() for w in weights.values())
    stride = max(1, -(-total // MOST))
    kept = [
        (before[name].flatten()[::stride], _direction(before[name], optimizer.state[w], group).flatten()[::stride])
        for name, w in weights.items()
        if optimizer.state[w]
    ]
    return Updates(torch.cat([w for w, _ in kept]), torch.cat([u for _, u in kept]), total)


def _direction(w: Tensor, state: dict[str, Tensor], group: dict[str, Any]) -> Tensor:
    """What a step of AdamW, whose moments these are, adds for a rate of 1."""
    one, two = group["betas"]
    mean = state["exp_avg"] / (1 - one ** state["step"])
    spread = (state["exp_avg_sq"] / (1 - two ** state["step"])).sqrt()
    return -(mean / (spread + group["eps"]) + group["weight_decay"] * w)


def unchanged(updates: Updates, dtype: torch.dtype, rate: float) -> float:
    """The share of the weights that are what they were, where they are kept in a dtype and rounded after the step."""
    stored = updates.weights.to(dtype)
    return float(((stored.float() + rate * updates.directions).to(dtype) == stored).float().mean())


def added(weight: float, update: float, steps: int) -> dict[str, Float[np.ndarray, " s"]]:
    """A weight through so many additions of one update, steps + 1 values each: in exact sums, in FP32, in BF16 and
    FP16, and in BF16 by a die.
    """
    generator, names = (
        torch.Generator().manual_seed(0),
        {"FP32": torch.float32, "BF16": torch.bfloat16, "FP16": torch.float16},
    )
    found = {"exact": weight + update * np.arange(steps + 1)}
    for name, dtype in names.items():
        value, path = torch.tensor(weight, dtype=torch.float64).to(dtype), []
        for _ in range(steps + 1):
            path.append(float(value))
            value = (value.double() + update).to(dtype)
        found[name] = np.array(path)
    value, path = torch.tensor([weight], dtype=torch.bfloat16).float(), []
    for _ in range(steps + 1):
        path.append(float(value))
        value = stochastic_bf16(value + update, generator)
    return found | {DIE: np.array(path)}

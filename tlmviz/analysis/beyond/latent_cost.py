"""What latent reading costs beside self-attention: scores by their formulas, and times measured on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.nn import functional as F

HEADS, HEAD_DIM = 4, 16


@dataclass(frozen=True)
class Timing:
    """Milliseconds of one layer's attention for N inputs: among themselves, and by M latents (reading, then mixing)."""

    inputs: int
    latents: int
    among_inputs: float
    by_latents: float


def self_scores(inputs: int) -> int:
    """Scores per head of self-attention among N inputs: N^2."""
    return inputs**2


def latent_scores(inputs: int, latents: int) -> int:
    """Scores per head of M latents that read N inputs and then one another: N M + M^2."""
    return inputs * latents + latents**2


@torch.inference_mode()
def time_both(inputs: int, latents: int, repeats: int = 5) -> Timing:
    """Best of some runs of torch's scaled_dot_product_attention, 4 heads of 16 dimensions, on random numbers in
    float32."""
    generator = torch.Generator().manual_seed(0)
    x, z = (torch.randn(1, HEADS, n, HEAD_DIM, generator=generator) for n in (inputs, latents))

    def among_inputs() -> None:
        F.scaled_dot_product_attention(x, x, x)

    def by_latents() -> None:
        read = F.scaled_dot_product_attention(z, x, x)
        F.scaled_dot_product_attention(read, read, read)

    return Timing(inputs, latents, _best(among_inputs, repeats), _best(by_latents, repeats))


def _best(work: Callable[[], None], repeats: int) -> float:
    """Milliseconds of the fastest of some runs, the first one, which warms up, left out."""
    took = []
    for _ in range(repeats + 1):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return 1000 * min(took[1:])

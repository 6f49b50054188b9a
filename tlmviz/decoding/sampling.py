"""Sampling from next-token logits: small functions on one vector."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from ..errors import BadShape


def top_k_filter(logits: Float[Tensor, " v"], k: int) -> Float[Tensor, " v"]:
    """Keep the k largest logits, the rest become -inf; ties with the k-th are kept."""
    if k >= logits.numel():
        return logits
    return logits.masked_fill(logits < logits.topk(k).values[-1], -torch.inf)


def top_p_filter(logits: Float[Tensor, " v"], p: float) -> Float[Tensor, " v"]:
    """Keep the fewest most probable tokens whose probabilities reach p (Holtzman et al. 2020)."""
    ordered, index = logits.sort(descending=True)
    before = ordered.softmax(-1).cumsum(-1) - ordered.softmax(-1)  # mass of more probable tokens
    return logits.masked_fill(torch.zeros_like(logits, dtype=torch.bool).scatter(0, index, before >= p), -torch.inf)


def next_token(
    logits: Float[Tensor, " v"],
    temperature: float,
    top_k: int | None,
    top_p: float,
    generator: torch.Generator,
) -> int:
    """Draw one token id; temperature 0 takes the largest logit. Raises BadShape on impossible settings."""
    if not temperature >= 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise BadShape(
            f"temperature {temperature}, top_k {top_k}, top_p {top_p}: give temperature >= 0, top_k >= 1 and 0 < top_p <= 1."
        )
    if temperature == 0:
        return int(logits.argmax())
    logits = (logits - logits.max()) / temperature  # at most zero, so that a tiny temperature cannot overflow
    if top_k is not None:
        logits = top_k_filter(logits, top_k)
    if top_p < 1:
        logits = top_p_filter(logits, top_p)
    return int(torch.multinomial(logits.softmax(-1), 1, generator=generator))

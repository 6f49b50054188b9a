"""What sampling cuts off a next-token distribution: how many tokens each filter leaves, and what the rest share."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from .sampling import Sampling, top_k_filter, top_p_filter


@dataclass(frozen=True)
class Cuts:
    """A distribution before and after its filters. A filter that is off is None.

    `top_k` and `top_p` count the tokens that are left behind each, the latter of those that top-k left; `least` is the
    probability below which min-p cuts.
    """

    before: Float[Tensor, " v"]
    after: Float[Tensor, " v"]
    top_k: int | None
    top_p: int | None
    least: float | None

    @property
    def kept(self) -> int:
        """How many tokens may be drawn."""
        return int((self.after > 0).sum())

    @property
    def mass(self) -> float:
        """The probability, before the filters, of the tokens that may be drawn."""
        return self.before[self.after > 0].sum().item()


def cut(logits: Float[Tensor, " v"], sampling: Sampling) -> Cuts:
    """The filters of `sampling`, in its order: temperature, top-k, top-p, min-p. At temperature 0 one token is left."""
    logits = logits.float()
    after = sampling.filtered(logits).softmax(-1)
    if sampling.temperature == 0:
        return Cuts(after, after, None, None, None)
    scaled = (logits - logits.max()) / sampling.temperature
    before = scaled.softmax(-1)
    by_k = by_p = None
    if sampling.top_k is not None:
        scaled = top_k_filter(scaled, sampling.top_k)
        by_k = int(scaled.isfinite().sum())
    if sampling.top_p < 1:
        by_p = int(top_p_filter(scaled, sampling.top_p).isfinite().sum())
    least = sampling.min_p * before.max().item() if sampling.min_p else None
    return Cuts(before, after, by_k, by_p, least)


def drawn(logits: Float[Tensor, " v"], sampling: Sampling, seed: int, length: int) -> int:
    """The token that a seed draws behind a text of `length` tokens: the same text and seed go on the same way."""
    generator = torch.Generator().manual_seed(seed * 1_000_003 + length)
    return sampling.draw(logits.float(), generator)

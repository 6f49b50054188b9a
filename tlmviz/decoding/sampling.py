"""Sampling from next-token logits: small functions on one vector, and the order in which they are applied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

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


def min_p_filter(logits: Float[Tensor, " v"], share: float) -> Float[Tensor, " v"]:
    """Keep tokens at least `share` times as probable as the most probable one (Nguyen et al. 2024)."""
    if share == 0:
        return logits
    return logits.masked_fill(logits < logits.max() + math.log(share), -torch.inf)


def typical_filter(logits: Float[Tensor, " v"], mass: float) -> Float[Tensor, " v"]:
    """Keep the fewest tokens that reach `mass`, those first whose -log p is closest to the entropy (Meister et al.
    2023).

    The most probable token may go: where much is expected of a text, it says too little.
    """
    logp = logits.log_softmax(-1)
    entropy = -(logp.exp() * logp).nansum()  # a token that was filtered out before has p log p = 0
    order = (logp + entropy).abs().argsort(stable=True)
    ordered = logp.exp()[order]
    before = ordered.cumsum(-1) - ordered
    return logits.masked_fill(torch.zeros_like(logits, dtype=torch.bool).scatter(0, order, before >= mass), -torch.inf)


def repetition_penalty(logits: Float[Tensor, " v"], written: Sequence[int], penalty: float) -> Float[Tensor, " v"]:
    """Logits of tokens already written, divided by `penalty` where positive and multiplied where negative.

    Keskar et al. 2019 divide, which would favour a token whose logit is negative. Zero has no meaning among logits: on
    log-probabilities, all negative, p becomes p^penalty.
    """
    if not written or penalty == 1:
        return logits
    index = torch.tensor(sorted(set(written)))
    chosen = logits[index]
    return logits.index_copy(0, index, torch.where(chosen > 0, chosen / penalty, chosen * penalty))


def contrast(
    probabilities: Float[Tensor, " k"], candidates: Float[Tensor, "k c"], earlier: Float[Tensor, "t c"], alpha: float
) -> Float[Tensor, " k"]:
    """(1 - alpha) p - alpha max cos(h, h_j) of each candidate (contrastive search, Su et al. 2022).

    h are the hidden vectors behind the candidates, h_j those behind the text so far.
    """
    cosines = torch.nn.functional.normalize(candidates, dim=-1) @ torch.nn.functional.normalize(earlier, dim=-1).T
    return (1 - alpha) * probabilities - alpha * cosines.amax(-1)


@dataclass(frozen=True)
class Sampling:
    """How a token is drawn. The steps, in this order; each default but the temperature's leaves things as they are:

    `repetition` multiplies the log-probabilities of tokens written before, `temperature` divides the logits (0 takes
    the largest), then `top_k`, `top_p`, `min_p` and `typical` filter, each what the last one left, and one token is
    drawn from the softmax of the rest. Raises BadShape on impossible settings.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0
    min_p: float = 0.0
    typical: float = 1.0
    repetition: float = 1.0

    def __post_init__(self) -> None:
        temperature, top_k, top_p = self.temperature, self.top_k, self.top_p
        if not temperature >= 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
            raise BadShape(
                f"temperature {temperature}, top_k {top_k}, top_p {top_p}: give temperature >= 0, top_k >= 1 and 0 < "
                "top_p <= 1."
            )
        if not 0 <= self.min_p <= 1 or not 0 < self.typical <= 1 or not 1 <= self.repetition < math.inf:
            raise BadShape(
                f"min_p {self.min_p}, typical {self.typical}, repetition {self.repetition}: give 0 <= min_p <= 1, "
                "0 < typical <= 1 and repetition >= 1."
            )

    def filtered(self, logits: Float[Tensor, " v"], written: Sequence[int] = ()) -> Float[Tensor, " v"]:
        """The logits that a token is drawn from, -inf for what may not be drawn; at temperature 0 one token is left."""
        if self.repetition != 1:
            logits = repetition_penalty(logits.log_softmax(-1), written, self.repetition)
        if self.temperature == 0:
            only = torch.full_like(logits, -torch.inf)
            only[logits.argmax()] = 0
            return only
        logits = (logits - logits.max()) / self.temperature  # at most zero, so that a tiny temperature cannot overflow
        if self.top_k is not None:
            logits = top_k_filter(logits, self.top_k)
        if self.top_p < 1:
            logits = top_p_filter(logits, self.top_p)
        logits = min_p_filter(logits, self.min_p)
        return typical_filter(logits, self.typical) if self.typical < 1 else logits

    def draw(self, logits: Float[Tensor, " v"], generator: torch.Generator, written: Sequence[int] = ()) -> int:
        """One token id. Temperature 0 takes no random number."""
        logits = self.filtered(logits, written)
        if self.temperature == 0:
            return int(logits.argmax())
        return int(torch.multinomial(logits.softmax(-1), 1, generator=generator))


def next_token(
    logits: Float[Tensor, " v"], temperature: float, top_k: int | None, top_p: float, generator: torch.Generator
) -> int:
    """Draw one token id; temperature 0 takes the largest logit. Raises BadShape on impossible settings."""
    return Sampling(temperature, top_k, top_p).draw(logits, generator)

"""Dropout on a model's own activations, and what its masks do to a text's loss.

Source: LLM notes, section 3.8; Srivastava et al. 2014, sections 4 and 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.errors import BadShape, BadText
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import Edit, recording

AT_ONCE = 600  # tokens of a batch of masks
PARTS = {"attn.out": "attention", "mlp.out": "feed-forward"}


@dataclass(frozen=True)
class Losses:
    """A text's loss in nats per token: `plain` without dropout, `masked` [M] under each mask, and `averaged`, the loss
    of the mean of all masks' predictions.
    """

    plain: float
    masked: Float[np.ndarray, " m"]
    averaged: float


def places(lm: LanguageModelLike) -> dict[str, str]:
    """The taps whose tensor dropout acts on, in training, by what each is called: the embedding, and what sublayers
    add."""
    found = {"embed": "embedding"}
    for layer in range(len(lm.network.blocks)):
        found |= {f"blocks.{layer}.{tap}": f"{layer} {part}" for tap, part in PARTS.items()}
    names = lm.network.tap_names()
    return {tap: name for tap, name in found.items() if tap in names}


def mask(shape: Sequence[int], p: float, generator: torch.Generator) -> Tensor:
    """1 where a number is kept, with probability q = 1 - p, else 0. Raises BadShape for a p below 0 or not below 1."""
    if not 0 <= p < 1:
        raise BadShape(f"A dropout rate lies from 0 up to, not including, 1; got {p}.")
    return (torch.rand(tuple(shape), generator=generator) >= p).float()


def dropped(x: Tensor, p: float, generator: torch.Generator, scaled: bool = True) -> Tensor:
    """X * M / q: X with a mask thrown over it; not `scaled`: without the 1 / q."""
    kept = x * mask(x.shape, p, generator).to(x.device)
    return kept / (1 - p) if scaled else kept


def edits(lm: LanguageModelLike, p: float, generator: torch.Generator) -> Mapping[str, Edit]:
    """Dropout at every place where training has it, thrown by one generator."""
    return {tap: lambda x, record: dropped(x, p, generator) for tap in places(lm)}


def losses(lm: LanguageModelLike, ids: list[int], p: float, masks: int, seed: int = 0) -> Losses:
    """The text's loss under so many masks, each over all places at once. Raises BadText for a text of one token."""
    if len(ids) < 2:
        raise BadText("The text has one token, so there is no loss; type at least one more.")
    generator = torch.Generator().manual_seed(seed)
    plain = _of_targets(lm, ids, 1, {})
    found: list[Tensor] = []
    while (left := masks - sum(map(len, found))) > 0:
        rows = min(left, max(1, AT_ONCE // len(ids)))  # each row of a batch has masks of its own
        found.append(_of_targets(lm, ids, rows, edits(lm, p, generator)))
    every = torch.cat(found) if found else plain[:0]
    averaged = -every.exp().mean(0).log().mean().item() if masks else float("nan")
    return Losses(-plain.mean().item(), (-every.mean(1)).numpy(), averaged)


def _of_targets(lm: LanguageModelLike, ids: list[int], rows: int, edit: Mapping[str, Edit]) -> Tensor:
    """Log probability of every next token, [rows, T - 1], of a batch that reads the text so many times."""
    text = torch.tensor([ids] * rows, device=lm.device)
    with recording(lambda name: False, edit):
        logits = lm.network(text)[:, :-1]
    return logits.log_softmax(-1).gather(2, text[:, 1:, None])[..., 0].double().cpu()


def expected_error(x: Float[np.ndarray, "*s"], p: float, masks: int) -> float:
    """The root mean square, over the numbers of X, of what the mean of so many masks is off by: RMS(X) sqrt(p / (q
    n))."""
    return float(np.sqrt((x**2).mean() * p / ((1 - p) * masks)))

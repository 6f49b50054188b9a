"""The numbers that a model really holds and makes, over the doublings of a format: weights, activations, gradients.

Source: LLM notes, section 6 (which range a format needs); Micikevicius et al. 2018, section 3.2, for gradients over
FP16's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from tlmviz.errors import BadText
from tlmviz.networks.twins import with_weights
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import recording

from .formats import Format, overflows, rounded

MOST = 300_000  # values of a kind that are looked at, spread evenly over all
LOWEST, HIGHEST = -60, 24  # doublings; what lies beyond counts at the end
SKIPPED = ("lse",)  # taps with no numbers of the pass itself: bookkeeping of the softmax


@dataclass(frozen=True)
class Fates:
    """What becomes of numbers in a format, as shares of those that are not 0: they add up to 1 with `normal`.

    `overflow`: infinite, NaN or cut to the largest; `lost`: rounded to 0; `subnormal`: kept with fewer bits. `exact`,
    of all of them, are kept as they are, and `error` is the mean relative error of those that are neither lost nor
    beyond.
    """

    overflow: float
    lost: float
    subnormal: float
    normal: float
    exact: float
    error: float


def values(lm: LanguageModelLike, ids: list[int], most: int = MOST) -> dict[str, Float[np.ndarray, " n"]]:
    """Weights, activations (everything that passes a tap, but for the softmax's bookkeeping) and gradients of the
    text's loss.

    At most `most` of each. Raises BadText for a text of one token, which has no loss.
    """
    if len(ids) < 2:
        raise BadText("The text has one token, so there is no loss and no gradient; type at least one more.")
    lm = lm.on_cpu
    text = torch.tensor([ids])
    weights = {name: p.detach().clone().requires_grad_() for name, p in lm.network.named_parameters()}
    with torch.enable_grad(), recording(lambda name: name.rpartition(".")[2] not in SKIPPED) as record:
        logits = with_weights(lm.network, weights, text)
        loss = F.cross_entropy(logits[0, :-1].float(), text[0, 1:])
    gradients = torch.autograd.grad(loss, list(weights.values()), allow_unused=True)
    seen = [value for value in record.values.values() if value.is_floating_point()]
    return {
        "weights": sample(weights.values(), most),
        "activations": sample(seen, most),
        "gradients": sample((each for each in gradients if each is not None), most),
    }


def sample(tensors: Iterable[Tensor], most: int = MOST) -> Float[np.ndarray, " n"]:
    """All finite numbers of some tensors, or every n-th of them, as float64."""
    flat = [each.detach().reshape(-1) for each in tensors]
    step = max(1, -(-sum(map(len, flat)) // most))
    # One stride over all of them in a row, so that large tensors count for as much as they hold.
    start, parts = 0, []
    for each in flat:
        parts.append(each[start::step].double().cpu())
        start = (start - len(each)) % step
    found = torch.cat(parts).numpy() if parts else np.zeros(0)
    return found[np.isfinite(found)]


def by_doubling(x: Float[np.ndarray, " n"]) -> tuple[Int[np.ndarray, " b"], Float[np.ndarray, " b"]]:
    """Doublings e, for numbers from 2^e up to 2^(e + 1), and the share of the numbers other than 0 in each."""
    magnitudes = np.abs(x[x != 0])
    doublings = np.arange(LOWEST, HIGHEST + 1)
    _, exponents = np.frexp(magnitudes)
    counts = np.bincount(np.clip(exponents - 1, LOWEST, HIGHEST) - LOWEST, minlength=len(doublings))
    return doublings, counts / max(1, len(magnitudes))


def fates(x: Float[np.ndarray, " n"], format: Format) -> Fates:
    """What becomes of numbers, without a scale. Of no numbers but 0, all are kept."""
    x = x[x != 0]
    if not len(x):
        return Fates(0, 0, 0, 1, 1, 0)
    kept = rounded(x, format)
    beyond = ~np.isfinite(kept) | overflows(x, format)
    lost = kept == 0
    small = ~lost & ~beyond & (np.abs(kept) < format.smallest_normal)
    there = ~lost & ~beyond
    error = np.abs(kept[there] / x[there] - 1)
    return Fates(
        float(beyond.mean()),
        float(lost.mean()),
        float(small.mean()),
        float((there & ~small).mean()),
        float((kept == x).mean()),
        float(error.mean()) if len(error) else 0.0,
    )

"""The identities behind loss scaling and master weights, on a real step of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from jaxtyping import Int
from torch import Tensor

from tlmviz.analysis.numbers import loss_scaling, master_weights, model_values

from .cases import is_language_model
from .registry import identity

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

SCALES = (-6, 0, 8, 16, 24)
MOST = 200_000  # weights and gradients that are looked at
ROUNDINGS = 16  # of every weight


def _step(lm: LanguageModel, text: str) -> tuple[LanguageModel, Tensor]:
    return lm, loss_scaling.batch(lm, text)


@identity(
    "Counted = rounded one by one",
    "shares lost, subnormal and too large, from counts of exponents as by rounding each gradient; four formats, five "
    "scales",
    1e-12,
    when=is_language_model,
    inputs=_step,
)
def counted_shares(lm: LanguageModel, ids: Int[Tensor, "b t"]) -> float:
    """The largest difference of a share."""
    x = torch.from_numpy(model_values.sample(loss_scaling.gradients(lm, ids).values(), MOST)).float()
    counts, worst = loss_scaling.count(x), 0.0
    for format in loss_scaling.FORMATS:
        for k in SCALES:
            one, other = loss_scaling.scaled(counts, format, k), loss_scaling.one_by_one(x, format, k)
            off = (one.lost - other.lost, one.subnormal - other.subnormal, one.overflow - other.overflow)
            worst = max(worst, *map(abs, off))
    return worst


@identity(
    "Scaled and divided = the same gradient",
    "the loss times 2¹⁶, its gradients by 2¹⁶: in FP32 what they are without",
    1e-6,
    "relative",
    when=is_language_model,
    inputs=_step,
)
def scaled_back(lm: LanguageModel, ids: Int[Tensor, "b t"]) -> float:
    """|g_S / S − g| / |g| over all weights."""
    plain = loss_scaling.gradients(lm, ids)
    scaled = loss_scaling.gradients(lm, ids, k=16)
    off = {name: scaled[name] / 2.0**16 - plain[name] for name in plain}
    return loss_scaling.norm(off) / max(loss_scaling.norm(plain), 1e-30)


@identity(
    "The die is right in the mean",
    "sizes of weights rounded to BF16 by a die, sixteen times each: their mean error in units of its own standard "
    "error",
    5.0,
    "standard errors",
    when=is_language_model,
    inputs=_step,
)
def right_in_the_mean(lm: LanguageModel, ids: Int[Tensor, "b t"]) -> float:
    """Without signs, as errors towards 0 would cancel; and a thousandth larger, as weights stored as BF16 are not
    rounded."""
    weights = torch.from_numpy(model_values.sample(lm.network.parameters(), MOST)).float().abs() * 1.001
    weights = weights[weights > 2.0**-100]
    generator = torch.Generator().manual_seed(0)
    step = torch.exp2(torch.frexp(weights).exponent - 8.0)  # from a number of BF16 to the next
    many = weights.repeat(ROUNDINGS)
    errors = ((master_weights.stochastic_bf16(many, generator) - many) / step.repeat(ROUNDINGS)).double()
    return float((errors.mean() / (errors.std() / len(errors) ** 0.5)).abs())

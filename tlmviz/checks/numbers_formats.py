"""The identities behind the page Formats, on a model's weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from tlmviz.analysis.numbers import formats, model_values

from .cases import is_language_model
from .registry import identity

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

CASTS = {"fp16": torch.float16, "bf16": torch.bfloat16, "e5m2": torch.float8_e5m2, "e4m3": torch.float8_e4m3fn}
MOST = 20_000  # weights that are looked at


def _weights(lm: LanguageModel) -> torch.Tensor:
    return torch.from_numpy(model_values.sample(lm.network.parameters(), MOST)).float()


@identity(
    "Rounding = torch's cast",
    "FP16, BF16, E5M2 and E4M3 of the model's weights, bit by bit, as torch casts them",
    0.0,
    when=is_language_model,
    inputs=lambda lm, text: (lm, text),
)
def rounding_is_torchs(lm: LanguageModel, text: str) -> float:
    """The weights are rounded by the page's own arithmetic and by torch; those beyond a format are left out."""
    weights, worst = _weights(lm), 0.0
    for key, dtype in CASTS.items():
        own = formats.find(key)
        within = weights[weights.abs() <= own.largest]
        kept = formats.rounded(within.double().numpy(), own)
        worst = max(worst, float(np.abs(kept - within.to(dtype).double().numpy()).max(initial=0)))
    return worst


@identity(
    "Every number has one fate",
    "too large, lost, subnormal or normal: the shares add up to 1 in every format",
    1e-9,
    when=is_language_model,
    inputs=lambda lm, text: (lm, text),
)
def fates_add_up(lm: LanguageModel, text: str) -> float:
    """The sum of the four shares of the weights against 1."""
    weights = _weights(lm).double().numpy()
    found = [model_values.fates(weights, each) for each in formats.FORMATS]
    return max(abs(each.overflow + each.lost + each.subnormal + each.normal - 1) for each in found)

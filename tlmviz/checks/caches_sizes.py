"""The size of a full cache, by formula and by measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from tlmviz.analysis.caches.cost import Shape, cache_bytes

from .cases import is_language_model
from .registry import identity
from .result import Measured

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

# Positions: a shorter cache is not full, as a buffer holds at least 64; a longer one takes time.
SHORTEST, LONGEST = (64, 256)


def reads_enough(model: Any) -> bool:
    """Whether the model reads so many positions that its cache is full."""
    return is_language_model(model) and model.config.context >= SHORTEST


def filled(lm: LanguageModel, text: str) -> tuple[LanguageModel, int]:
    """(lm, length): as many positions as the model reads, up to 256. Raises BadText."""
    lm.encode(text)
    return lm, min(LONGEST, lm.config.context)


@identity(
    "Formula = nbytes", "the formula is a full cache's nbytes (float32)", 0.0, "bytes", when=reads_enough, inputs=filled
)
def formula_is_nbytes(lm: LanguageModel, length: int) -> Measured:
    """The calculator's formula against `nbytes` of a real cache that is exactly full."""
    cache = lm.new_cache()
    lm(torch.zeros(1, length, dtype=torch.long), cache)
    return Measured(float(abs(cache.nbytes - cache_bytes(Shape.of(lm.config), length))), f"{length} positions")

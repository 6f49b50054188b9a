"""The identity behind the page Compare: what comes before the first changed token cannot differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tlmviz.analysis.workbench.comparing import Comparison, compare

from .cases import is_language_model
from .registry import identity
from .result import largest
from .workbench_patching import two_runs

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


def compared(lm: LanguageModel, text: str) -> tuple[Comparison]:
    """(comparison,): the text, and the same with its last token but one exchanged."""
    _, both = two_runs(lm, text)
    return (compare(both.clean, both.corrupted),)


@identity(
    "Same before the change",
    "before the first changed token no weight and no prediction differs",
    1e-4,
    "max absolute",
    when=is_language_model,
    inputs=compared,
)
def same_before_the_change(comparison: Comparison) -> float:
    """A causal model reads from left to right: a difference there would come from the future, or from a wrong
    alignment."""
    count = comparison.alignment.begun_alike
    heads = [
        float(np.abs(comparison.difference(layer, head)[:count]).max(initial=0))
        for layer in range(comparison.a.n_layers)
        for head in range(comparison.a.n_heads)
    ]
    return largest([*heads, float(np.abs(comparison.kl[:count]).max(initial=0))])

"""Identities of Sinkhorn on any one matrix of logits, also one that a user typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from tlmviz.analysis.streams.mixing import places

from .. import kernels
from .cases import has_constrained_streams, reading
from .registry import identity, once
from .result import worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

ITERATIONS = 40


def own_logits(lm: LanguageModel, text: str) -> tuple[Tensor, int]:
    """(logits, iterations): what the first sublayer gave Sinkhorn for the last token, float64 [N, N]. Raises
    BadText."""
    return once(reading, lm, text)[1][f"{places(1)[0]}.logits"][-1].double(), ITERATIONS


@identity("No entry below 0", "no entry falls below 0", 0.0, when=has_constrained_streams, inputs=own_logits)
def entries_stay_positive(logits: Tensor, iterations: int) -> float:
    """No entry of exp(logits) [N, N] becomes negative, whatever the number of iterations."""
    return max(0.0, -float(kernels.sinkhorn(logits, iterations).min()))


@identity(
    "Columns end exact",
    f"after {ITERATIONS} iterations every column sums to 1",
    1e-12,
    when=has_constrained_streams,
    inputs=own_logits,
)
def columns_end_exact(logits: Tensor, iterations: int) -> float:
    """Sinkhorn's last half step makes every column of logits [N, N] sum to 1; for float64 matrices without a zero
    column."""
    return worst(kernels.sinkhorn_errors(kernels.sinkhorn(logits, iterations))[1])

"""The words of the view "Matrix by hand"."""

from __future__ import annotations

from ..words import EQUATIONS
from .controls import Choice

__all__ = ["EQUATIONS", "NOTICE", "snippet"]

NOTICE = (
    "*Least*: every step looks at the first token, two tokens get nothing, and cp is 2 β log floor. Without the "
    "floor it would be −∞.",
    "*Most*: every token is looked at once; cp is 0, and no step looks where another did: covloss is always 0.",
    "*Even* has the same cp as *most*: the penalty depends on column sums alone, covloss on the order of the steps.",
)


def snippet(choice: Choice) -> str:
    """Penalty and overlap of the matrix."""
    return f"""\
import numpy as np
from tlmviz.decoding.penalties import coverage_loss, coverage_penalty, coverage_vectors

a = np.array({choice.attention.tolist()!r})
cp = coverage_penalty(a, beta={choice.penalties.beta!r}, floor={choice.penalties.floor!r})
print(cp, a.sum(0))
print(coverage_vectors(a))
print(coverage_loss(a), coverage_loss(a, average=True))
"""

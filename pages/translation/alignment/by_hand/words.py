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
from tlmviz.decoding.penalties import coverage_loss, coverage_penalty, coverage_vectors, token_coverage
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import alignment

a = np.array({choice.attention.tolist()!r})
cp = coverage_penalty(a, beta={choice.penalties.beta!r}, floor={choice.penalties.floor!r})
print(cp, a.sum(0))
print(coverage_vectors(a))
print(coverage_loss(a), coverage_loss(a, average=True))
source, target = ([f"{{letter}}{{i + 1}}" for i in range(n)] for letter, n in zip("xy", a.shape[::-1]))
costs = {choice.penalties.beta!r} * token_coverage(a.sum(0), {choice.penalties.floor!r})
least = {choice.penalties.beta!r} * np.log({choice.penalties.floor!r})
alignment.coverage_map(a, source, target, costs, least, LIGHT, title="Attention by hand").show()
"""

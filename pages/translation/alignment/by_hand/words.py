"""The words of the view "Matrix by hand"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..words import EQUATIONS

if TYPE_CHECKING:  # these import the words themselves
    from .controls import Choice

__all__ = ["EQUATIONS", "NOTICE", "snippet"]

NOTICE = (
    "*Least*: every step looks at the first word and two words get nothing. The coverage penalty (cp) is as low as it can be.",
    "*Most*: every word is looked at once. There is no penalty, and no step looks where another did: the overlap (covloss) is 0.",
    "*Even* has the same penalty as *most*: it depends on how much each word got in all, the overlap on the order of the steps.",
)
NOTICE_MATHS = ("The lowest cp is 2 β log floor; without the floor it would be −∞.",)
UNEVEN_ROWS = "The rows of the matrix have different lengths; give each step one number per source token."
NOT_POSITIVE = "Attention is never negative and always finite; use numbers from 0, such as 0.5."
NO_NUMBER = "The matrix has something that is no number; write rows of numbers such as 1 0 0; 0 1 0."


def too_large(rows: int, columns: int, most: int) -> str:
    """Why a typed matrix is not drawn."""
    return f"The matrix is {rows} × {columns}; at most {most} steps and {most} tokens are drawn."


def empty_row(row: int) -> str:
    """Why a typed matrix is not drawn."""
    return f"Row {row} of the matrix is all zero; give the row at least one positive number."


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

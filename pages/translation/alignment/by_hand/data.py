"""What the part Matrix by hand shows: an attention matrix that is typed."""

from __future__ import annotations

from tlmviz.decoding.penalties import Penalties

from ..data import Covered
from .matrices import read_matrix
from .state import Hand


def compute(chosen: Hand, penalties: Penalties) -> Covered:
    """The map that is typed, between numbered tokens. Raises BadShape for what is no attention."""
    matrix = read_matrix(chosen.matrix)
    steps, size = matrix.shape
    return Covered(matrix, [f"x{j + 1}" for j in range(size)], [f"y{i + 1}" for i in range(steps)], penalties)

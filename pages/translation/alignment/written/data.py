"""Everything that the part Translation shows: a translation, and what its map costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..data import Covered, Hypothesis


@dataclass(frozen=True)
class Data(Hypothesis):
    """The chosen translation."""

    @cached_property
    def shown(self) -> Covered:
        """Its map."""
        return self.covered(self.candidate)

"""Everything that the part Points of a hull shows: what a network draws through them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

import tlmviz
from tlmviz.analysis.words.hulls import Quality, Verdict, exact_hull, judge, quality
from tlmviz.checks import Check, measure, words_pointers
from tlmviz.facades.hull import Drawing, HullFinder, distinct
from tlmviz.ui import compute as shared
from tlmviz.ui.cached import cached

from .state import Choice, Points

NAME = "pointer-hull"
NUMBERS, SETS = (5, 10, 20, 50, 100, 200), 20


@dataclass(frozen=True)
class Data:
    """What a network draws through points."""

    chosen: Choice

    @cached_property
    def points(self) -> Points:
        """The points, in thousandths."""
        return self.chosen.shown

    @cached(64)
    def drawing(points: Points) -> Drawing:
        """The line, and the weights of every step."""
        array = np.array(points, np.float64) / 1000
        return shared.run_in_worker(lambda: finder().draw(array), len(points))

    @cached_property
    def exact(self) -> list[int]:
        """SciPy's corners."""
        return exact_hull(self.chosen.array).tolist()

    @cached_property
    def verdict(self) -> Verdict:
        """What the line is worth."""
        return judge(self.chosen.array, self.drawing.order)

    @property
    def step(self) -> int:
        """The step that is drawn, from 1: the chosen one, and where none is, the one at which the network hesitates."""
        return min(self.chosen.step, len(self.drawing.attention)) or self.doubtful

    @cached_property
    def doubtful(self) -> int:
        """The step, from 1, whose weights have the most entropy."""
        weights = self.drawing.attention.astype(np.float64)
        return int(np.argmax(-(weights * np.log(np.maximum(weights, 1e-30))).sum(1))) + 1

    @cached_property
    def places(self) -> int:
        """How many different places the points have."""
        return len(distinct(self.chosen.array))

    @property
    def most(self) -> int:
        """The most points of a set that the network learned from."""
        return finder().config.most

    @cached(1)
    def reach() -> list[Quality]:
        """The network on fresh sets of more and more points."""
        return shared.run_in_worker(lambda: [quality(finder().hull, n, SETS, seed=n) for n in NUMBERS], 1)

    @property
    def checks(self) -> list[Check]:
        """The identities, on these points."""
        return shared.run_in_worker(
            lambda: measure(words_pointers, finder(), self.chosen.array, self.drawing), len(self.points)
        )


@st.cache_resource(show_spinner=False)
def finder() -> HullFinder:
    """The network that draws."""
    found = tlmviz.load(NAME)
    assert isinstance(found, HullFinder)
    return found

"""Everything the page "Pointer network" computes, cached: what the network draws, what it is worth, and how far it reaches."""

from __future__ import annotations

import numpy as np
import streamlit as st

import tlmviz
from tlmviz.analysis.words.hulls import Quality, Verdict, exact_hull, judge, quality
from tlmviz.checks import Check, measure, words_pointers
from tlmviz.hull import Drawing, HullFinder
from tlmviz.ui import compute as shared

from .controls import Choice, Points

NAME = "pointer-hull"
NUMBERS, SETS = (5, 10, 20, 50, 100, 200), 20


@st.cache_resource(show_spinner=False)
def finder() -> HullFinder:
    """The network."""
    model = tlmviz.load(NAME)
    assert isinstance(model, HullFinder)
    return model


@st.cache_resource(max_entries=64, show_spinner=False)
def _drawing(points: Points) -> Drawing:
    array = Choice(points, False, "", 1).array
    return shared.run_in_worker(lambda: finder().draw(array), len(points))


def drawing(choice: Choice) -> Drawing:
    """What the network draws. Raises BadShape."""
    return _drawing(choice.points)


def doubtful(choice: Choice) -> int:
    """The step, from 1, whose weights have the most entropy."""
    weights = drawing(choice).attention.astype(np.float64)
    return int(np.argmax(-(weights * np.log(np.maximum(weights, 1e-30))).sum(1))) + 1


def exact(choice: Choice) -> np.ndarray:
    """SciPy's corners."""
    return exact_hull(choice.array)


def verdict(choice: Choice) -> Verdict:
    """What the drawing is worth."""
    return judge(choice.array, drawing(choice).order)


def checks(choice: Choice) -> list[Check]:
    """The identities behind this page, on these points."""
    found = drawing(choice)
    return shared.run_in_worker(
        lambda: measure(words_pointers, finder(), choice.array, found), len(choice.points)
    )


@st.cache_data(show_spinner=False)
def reach() -> list[Quality]:
    """The network on fresh sets of more and more points."""
    return shared.run_in_worker(lambda: [quality(finder().hull, n, SETS, seed=n) for n in NUMBERS], 1)

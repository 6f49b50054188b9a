"""Everything the page "One step of training" computes, cached: steps, throws, the tree, costs and identities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from tlmviz.analysis.words import one_step, step_costs
from tlmviz.analysis.words.one_step import Step
from tlmviz.analysis.words.pairs import noise_distribution
from tlmviz.analysis.words.step_costs import Cost
from tlmviz.checks import Check, Identity, measure, words, words_step
from tlmviz.ui import compute as shared
from tlmviz.ui import words as models

from .controls import MODELS, NEGATIVE, THROWS, TREE, Choice

# The identities of the chapter that a step rests on; each holds for some of the models.
BEHIND: tuple[Identity, ...] = (
    words.softmax_sums_to_one,
    words.leaves_sum_to_one,
    words.sweep_is_the_product,
    words.gradient_is_autograds,
)


def pair_of(choice: Choice) -> Choice:
    """The same choice without what the browser computes: the key of what the server does."""
    return replace(choice, rate=0.0, everything=True, at=0, seed=first_throw(choice.seed))


def first_throw(seed: int) -> int:
    """The seed of the first of the throws that are sent together."""
    return seed // THROWS * THROWS


@st.cache_resource(max_entries=16, show_spinner=False)
def softmax_step(pair: Choice) -> Step:
    """The step of the full softmax."""
    return shared.run_in_worker(lambda: one_step.softmax_step(pair.wv, pair.center, pair.context))


@st.cache_resource(max_entries=16, show_spinner=False)
def tree_step(pair: Choice) -> Step:
    """The step of hierarchical softmax."""
    return shared.run_in_worker(lambda: one_step.tree_step(pair.wv, pair.center, pair.context))


@st.cache_resource(max_entries=32, show_spinner=False)
def throws(model: str, negatives: int, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers [S, k] and the words drawn [S, k] of S = THROWS seeds from `first` on."""
    wv = models.model(model)
    every = [
        one_step.draws(wv.counts, wv.config.power, negatives, seed) for seed in range(first, first + THROWS)
    ]
    return np.array([numbers for numbers, _ in every]), np.array([drawn for _, drawn in every])


@st.cache_resource(max_entries=4, show_spinner=False)
def lines(model: str) -> tuple[np.ndarray, np.ndarray]:
    """Where each word's part of the line ends: by its count, and by its count to the power of the noise distribution."""
    wv = models.model(model)
    return noise_distribution(wv.counts, 1.0).cumsum(), noise_distribution(
        wv.counts, wv.config.power
    ).cumsum()


@st.cache_data(max_entries=32, show_spinner=False)
def costs(negatives: int, path: int) -> list[Cost]:
    """What a step costs by each method, on tables of the model's size; `path` is the length of the path, 0 for the mean."""
    wv = models.model(MODELS[NEGATIVE])
    return shared.run_in_worker(lambda: step_costs.costs(wv, negatives, path or step_costs.mean_path(wv)))


@st.cache_resource(max_entries=32, show_spinner=False)
def checks(pair: Choice) -> list[Check]:
    """The identities behind this page, on this pair or, for CBOW, on the first two words of the text."""
    given = list(pair.text) or [pair.center, pair.context]
    entries = [entry for entry in BEHIND if entry.applies(pair.wv)]
    return shared.run_in_worker(
        lambda: [*measure(words_step, pair.wv, given), *(entry(pair.wv, given) for entry in entries)],
        gradients=True,
    )


def path_length(choice: Choice) -> int:
    """The decisions on the way to the context word; 0 where the tree is not shown."""
    return len(choice.wv.path(choice.context).nodes) if choice.part == TREE else 0

"""Reads what the training of models with experts left, cached: loads and biases at moments, and curves."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.experts.experts.cost.compute import family
from tlmviz.analysis.experts import training
from tlmviz.errors import BadCheckpoint
from tlmviz.figures.experts.training import Curve, Moments
from tlmviz.ui import compute

from . import words


@st.cache_data(max_entries=8, show_spinner=False)
def moments(model: str) -> tuple[dict[str, Moments], list[str]]:
    """The moments of a model and of those beside it that have experts, and a sentence for each that has none logged."""
    found, missing = {}, []
    for name in family(model):
        part = compute.model(name).config.experts
        if not part.count:
            continue
        try:
            logged = training.moments(name)
        except BadCheckpoint as error:
            missing.append(str(error))
            continue
        # Shares of the tokens: a row of counts sums to k choices for each.
        load = part.chosen * logged.loads / logged.loads.sum(-1, keepdims=True)
        found[name] = Moments(logged.steps, load, logged.bias if part.bias else None)
    return found, missing


def worst(each: Moments) -> np.ndarray:
    """The largest load of any expert over the mean of its layer, at each moment [M]."""
    return (each.load / each.load.mean(-1, keepdims=True)).max((-1, -2))


@st.cache_data(max_entries=8, show_spinner=False)
def panels(model: str) -> dict[str, dict[str, Curve]]:
    """Curves over steps, by title and model: the largest load, and the loss on held-out stories."""
    largest = {name: Curve(each.steps, worst(each)) for name, each in moments(model)[0].items()}
    held_out = {}
    for name in family(model):
        try:
            log = training.curves(name)[["step", "valid_bpb"]].dropna()
        except BadCheckpoint:
            continue
        held_out[name] = Curve(log["step"].to_numpy(), log["valid_bpb"].to_numpy())
    titles = {
        words.LARGEST_LOAD: largest,
        words.HELD_OUT_STORIES: held_out,
    }
    return {title: curves for title, curves in titles.items() if curves}

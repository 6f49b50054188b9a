"""Computes the view "Load", cached: what each expert answers to, on the text and on held-out stories."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.experts.experts import compute as page
from pages.experts.experts.compute import Change
from pages.experts.experts.controls import Reading
from tlmviz.analysis.experts.survey import Survey, read
from tlmviz.errors import BadCheckpoint


@st.cache_resource(max_entries=8, show_spinner=False)
def held_out(model: str) -> Survey | None:
    """What was counted on held-out stories; None for a model that brings no such count."""
    try:
        return read(model)
    except BadCheckpoint:
        return None


def held_out_loads(survey: Survey) -> np.ndarray:
    """The share of the held-out tokens that each expert read [L, E]."""
    return np.array([[expert.load for expert in layer] for layer in survey.experts])


@st.cache_data(max_entries=32, show_spinner=False)
def readers(reading: Reading, layer: int) -> list[list[str]]:
    """Of one layer, for each expert the text's tokens that it reads, those with the largest weight in sum first."""
    mixing = page.passed(reading, Change()).routing(layer).mixing.numpy()  # [T, E]
    names = np.array(reading.tokens, object)
    kinds, place = np.unique(names.astype(str), return_inverse=True)
    sums = np.zeros((len(kinds), mixing.shape[1]))
    np.add.at(sums, place, mixing)
    return [
        [str(kinds[i]) for i in np.argsort(-sums[:, expert], kind="stable") if sums[i, expert] > 0]
        for expert in range(mixing.shape[1])
    ]

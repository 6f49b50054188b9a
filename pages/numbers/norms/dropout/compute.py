"""What the view Dropout computes, cached."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.numbers import dropout
from tlmviz.analysis.numbers.dropout import Losses
from tlmviz.checks import Check
from tlmviz.checks import numbers_norms as checks
from tlmviz.ui import compute

MASKS = 64  # of the text's loss
MOST_VALUES = 12_000  # of an activation that is shown


@st.cache_resource(max_entries=16, show_spinner=False)
def activation(model: str, text: str, place: str) -> tuple[np.ndarray, list[str]]:
    """What passes a place, [T, C], at most MOST_VALUES of it, and the tokens. Raises BadText."""
    lm = compute.model(model)

    def work() -> tuple[np.ndarray, list[str]]:
        trace = lm.trace(text, keep=lambda name: name == place)
        x = trace[place].double().cpu().numpy().reshape(len(trace), -1)
        most = max(2, MOST_VALUES // x.shape[1])
        return x[:most], trace.tokens[:most]

    return compute.run_in_worker(work, compute.about(text))


@st.cache_resource(max_entries=32, show_spinner=False)
def losses(model: str, text: str, p: float, seed: int) -> Losses:
    """The text's loss under MASKS masks. Raises BadText."""
    lm = compute.model(model)
    ids = lm.encode(text)
    return compute.run_in_worker(lambda: dropout.losses(lm, ids, p, MASKS, seed), MASKS * len(ids))


@st.cache_resource(max_entries=16, show_spinner=False)
def measured(model: str, text: str) -> list[Check]:
    """The identity behind this view."""
    lm = compute.model(model)
    return compute.run_in_worker(lambda: [checks.dropout_keeps_the_mean(lm, text)])

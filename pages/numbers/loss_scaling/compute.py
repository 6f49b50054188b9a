"""Everything the page Loss scaling computes, cached."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
import torch

from tlmviz.analysis import shipped
from tlmviz.analysis.numbers import half_runs, loss_scaling, master_weights
from tlmviz.analysis.numbers.loss_scaling import Counts, Pass
from tlmviz.analysis.numbers.master_weights import STORED, Updates
from tlmviz.checks import Check
from tlmviz.checks import numbers_loss_scaling as checks
from tlmviz.ui import compute
from tlmviz.ui.compute import run_in_worker

from . import words

PASSES = tuple(range(-16, 29, 4))  # k of the steps that are really run in FP16
RATES = np.geomspace(1e-6, 1e-2, 41)
TOKENS = loss_scaling.ROWS * loss_scaling.LENGTH


def _ids(model: str, text: str | None) -> torch.Tensor:
    return loss_scaling.batch(compute.model(model), text)


@st.cache_resource(max_entries=16, show_spinner="Running a step …")
def counts(model: str, text: str | None, kind: str) -> dict[str, Counts]:
    """Every tensor's gradients by size. Raises BadText."""
    lm, ids = compute.model(model), _ids(model, text)

    def work() -> shipped.Arrays:
        found = loss_scaling.gradients(lm, ids, kind)
        return loss_scaling.as_arrays({name: loss_scaling.count(each) for name, each in found.items()})

    asked = (ids.tolist(), kind)
    answer = shipped.ready(
        lm, "loss scaling: counts", asked, lambda: run_in_worker(work, ids.numel(), gradients=True)
    )
    return loss_scaling.from_arrays(answer)


@st.cache_resource(max_entries=8, show_spinner=words.RUNNING_STEP)
def passes(model: str, text: str | None) -> list[Pass]:
    """The step on the first row of the batch, run in FP16 for each of PASSES."""
    lm, ids = compute.model(model), _ids(model, text)[:1]
    return run_in_worker(lambda: loss_scaling.in_half(lm, ids, PASSES), ids.numel(), gradients=True)


@st.cache_data(show_spinner=False)
def runs() -> pd.DataFrame:
    """The logged steps. Raises BadCheckpoint."""
    return half_runs.read()


@st.cache_resource(max_entries=4, show_spinner=words.TAKING_STEPS)
def updates(model: str, text: str | None) -> Updates:
    """What AdamW adds to the model's weights."""
    lm, ids = compute.model(model), _ids(model, text)
    return run_in_worker(lambda: master_weights.adamw_updates(lm, ids), ids.numel(), gradients=True)


@st.cache_resource(max_entries=4, show_spinner=False)
def unchanged(model: str, text: str | None) -> dict[str, np.ndarray]:
    """The share of weights that a step leaves as they are, for each of RATES, by the format they are kept in."""
    found = updates(model, text)
    return {
        key: np.array([master_weights.unchanged(found, dtype, float(rate)) for rate in RATES])
        for key, dtype in STORED.items()
    }


@st.cache_data(max_entries=32, show_spinner=False)
def added(weight: float, update: float, steps: int) -> dict[str, np.ndarray]:
    """A weight through so many additions of an update."""
    return master_weights.added(weight, update, steps)


@st.cache_resource(max_entries=8, show_spinner=False)
def measured(model: str, text: str | None) -> list[Check]:
    """The identities behind this page, on this step and this model."""
    lm, ids = compute.model(model), _ids(model, text)
    return run_in_worker(
        lambda: [
            checks.counted_shares(lm, ids),
            checks.scaled_back(lm, ids),
            checks.right_in_the_mean(lm, ids),
        ],
        ids.numel(),
        gradients=True,
    )

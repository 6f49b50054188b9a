"""Everything that the part Master weights shows: a weight through many additions, logged runs, a real step of AdamW."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.numbers import master_weights
from tlmviz.analysis.numbers.formats import find, read
from tlmviz.analysis.numbers.half_runs import RUNS
from tlmviz.analysis.numbers.master_weights import STORED, Updates
from tlmviz.checks import Check
from tlmviz.errors import BadText
from tlmviz.ui import compute as shared
from tlmviz.ui.compute import run_in_worker

from ..dynamic.data import runs
from ..gradients.data import ids_of, measured
from .state import STEPS, Master

RATES = np.geomspace(1e-6, 1e-2, 41)
FP32, BF16, FP16, DIE = "weights-fp32", "weights-bf16", "weights-fp16", "weights-stochastic"  # logged runs


@dataclass(frozen=True)
class Data:
    """A weight and an update as numbers; `refused`: what was typed and is none, and the number in its place."""

    chosen: Master
    weight: float
    update: float
    refused: dict[str, float]

    @cached_property
    def paths(self) -> dict[str, np.ndarray]:
        """The weight through the additions, by how it is kept."""
        return _added(self.weight, self.update)

    @property
    def log(self) -> pd.DataFrame:
        """The logged steps. Raises BadCheckpoint."""
        return runs()

    @cached_property
    def learned(self) -> dict[str, np.ndarray]:
        """The losses of the logged runs that keep weights in few bits, by the run's key."""
        return {
            key: self.log.loc[self.log["run"] == key, "loss"].to_numpy() for key, spec in RUNS.items() if spec.trained
        }

    def still(self, run: str) -> float:
        """The share of the weights that a logged step left as they were."""
        return float(self.log.loc[self.log["run"] == run, "kept"].mean())

    @property
    def updates(self) -> Updates:
        """What AdamW adds to the model's weights. Raises BadText."""
        return _updates(self.chosen.model, self.chosen.text)

    @property
    def unchanged(self) -> dict[str, np.ndarray]:
        """The share of weights that a step leaves as they are, for each of RATES, by the format they are kept in."""
        return _unchanged(self.chosen.model, self.chosen.text)

    @property
    def checks(self) -> list[Check]:
        """The identities on this step."""
        return measured(self.chosen.model, self.chosen.text)


def compute(chosen: Master) -> Data:
    """The data of a state; what is no finite number of FP32 gives way to the default."""
    found, refused = [], {}
    for text, default in ((chosen.weight, Master.weight.default), (chosen.update, Master.update.default)):
        try:
            value = read(text, find("fp32"))
        except BadText:
            value = float("nan")
        if not abs(value) <= find("fp32").largest:
            refused[text] = value = float(default)
        found.append(value)
    return Data(chosen, *found, refused)


@st.cache_data(max_entries=32, show_spinner=False)
def _added(weight: float, update: float) -> dict[str, np.ndarray]:
    return master_weights.added(weight, update, STEPS)


@st.cache_resource(max_entries=4, show_spinner=False)
def _updates(model: str, text: str | None) -> Updates:
    lm, ids = shared.model(model), ids_of(model, text)
    return run_in_worker(lambda: master_weights.adamw_updates(lm, ids), ids.numel(), gradients=True)


@st.cache_resource(max_entries=4, show_spinner=False)
def _unchanged(model: str, text: str | None) -> dict[str, np.ndarray]:
    found = _updates(model, text)
    return {
        key: np.array([master_weights.unchanged(found, dtype, float(rate)) for rate in RATES])
        for key, dtype in STORED.items()
    }

"""Everything that the part Dynamic scaling shows: two hundred logged steps of every run."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from tlmviz.analysis.numbers import half_runs
from tlmviz.analysis.numbers.half_runs import RUNS, HalfRun

from .state import Dynamic

EXACT = "fp32"  # the run that the others are held against
LAST = 10  # steps whose mean loss is a run's end


@dataclass(frozen=True)
class Data:
    """One run among all that were logged."""

    chosen: Dynamic

    @property
    def log(self) -> pd.DataFrame:
        """The logged steps of all. Raises BadCheckpoint where there is no log."""
        return runs()

    @property
    def spec(self) -> HalfRun:
        """What the run is."""
        return RUNS[self.chosen.run]

    def of(self, run: str) -> pd.DataFrame:
        """A run's steps."""
        return self.log[self.log["run"] == run]

    def skipped(self, run: str) -> int:
        """How many of its steps were skipped."""
        return int((self.of(run)["kept"] == 1).sum())

    def end(self, run: str) -> float:
        """The mean loss of its last steps."""
        return float(self.of(run)["loss"].tail(LAST).mean())

    def zero(self, run: str) -> float:
        """The share of the gradients that are 0, in the mean of the last 50 steps."""
        return float(self.of(run)["lost"].tail(50).mean())


@st.cache_data(show_spinner=False)
def runs() -> pd.DataFrame:
    """The logged steps. Raises BadCheckpoint."""
    return half_runs.read()

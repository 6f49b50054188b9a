"""What the training of each model of a family left: logged curves, and matrices at moments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd
import streamlit as st

from pages.streams.mhc import data as page
from tlmviz.analysis.streams import training
from tlmviz.analysis.streams.training import Moments
from tlmviz.errors import BadCheckpoint


@dataclass(frozen=True)
class Data(page.Data):
    """By connection, the curves and the matrices of the models that have them."""

    @cached_property
    def read(self) -> tuple[dict[str, pd.DataFrame], dict[str, Moments], list[BadCheckpoint]]:
        """Curves, matrices, and what is missing or broken."""
        curves, moments, errors = {}, {}, []
        for kind, model in self.family.items():
            try:
                curves[kind] = _curves(model)
                if kind != "residual":
                    moments[kind] = _moments(model)
            except BadCheckpoint as error:
                errors.append(error)
        return curves, moments, errors

    def last(self, column: str) -> dict[str, float]:
        """Connection -> a column's last number that was logged."""
        logged = {kind: curve[column].dropna() for kind, curve in self.read[0].items()}
        return {kind: float(values.iloc[-1]) for kind, values in logged.items() if len(values)}


@st.cache_data(max_entries=16, show_spinner=False)
def _curves(model: str) -> pd.DataFrame:
    return training.curves(model)


@st.cache_resource(max_entries=16, show_spinner=False)
def _moments(model: str) -> Moments:
    return training.moments(model)

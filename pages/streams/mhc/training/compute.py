"""Reads what the training of each model left, cached: logged curves, and matrices at moments."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tlmviz.analysis.streams import training
from tlmviz.analysis.streams.training import Moments


@st.cache_data(max_entries=16, show_spinner=False)
def curves(model: str) -> pd.DataFrame:
    """A model's logged curves. Raises BadCheckpoint where they are missing or broken."""
    return training.curves(model)


@st.cache_resource(max_entries=16, show_spinner=False)
def moments(model: str) -> Moments:
    """A model's matrices at moments of its training. Raises BadCheckpoint where they are missing or broken."""
    return training.moments(model)

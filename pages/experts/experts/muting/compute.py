"""Computes the view "Mute & force", cached: what muting each expert alone costs."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.experts.experts import compute as page
from pages.experts.experts.compute import Change
from pages.experts.experts.controls import Reading
from tlmviz.analysis.experts.losses import ablation
from tlmviz.ui import compute


@st.cache_data(max_entries=16, show_spinner=False)
def each_muted(reading: Reading) -> np.ndarray:
    """Change of the text's mean loss with each expert muted alone, nats per token [L, E]."""
    trace = page.passed(reading, Change())
    return compute.run_in_worker(lambda: ablation(reading.lm, trace), compute.about(reading.text))

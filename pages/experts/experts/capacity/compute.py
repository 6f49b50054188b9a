"""Computes the view "Capacity", cached: what is dropped and what the text costs at several capacities."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.experts.experts import compute as page
from pages.experts.experts.compute import Change
from pages.experts.experts.controls import Reading

FACTORS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)


def dropped(reading: Reading, factor: float) -> np.ndarray:
    """Choices that found their expert full in a pass of this capacity, by layer [L]."""
    trace = page.passed(reading, Change(factor=factor))
    return np.array([int((trace.routing(layer).weights == 0).sum()) for layer in reading.layers])


@st.cache_data(max_entries=16, show_spinner=False)
def curve(reading: Reading) -> tuple[list[float], list[float]]:
    """At each of FACTORS the dropped choices in per cent, and the text's mean loss in nats per token."""
    choices = len(reading.tokens) * reading.experts.chosen * len(reading.layers)
    shares = [100 * float(dropped(reading, factor).sum()) / choices for factor in FACTORS]
    return shares, [float(page.loss(reading, Change(factor=factor)).mean()) for factor in FACTORS]

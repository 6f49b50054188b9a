"""Computes the view "Depth" of the page mHC, cached: products of mixing matrices, passes, and simulated stacks."""

from __future__ import annotations

import streamlit as st
import torch

from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import Reading
from tlmviz.analysis.streams import depth as analysis
from tlmviz.analysis.streams.depth import Depth, Passed
from tlmviz.ui import compute

from .controls import Simulation

RUNS = 200  # stacks drawn by the simulation
QUANTILES = (0.1, 0.5, 0.9)


@st.cache_resource(max_entries=9, show_spinner=False)
def products(reading: Reading) -> Depth:
    """Every product of a model's mixing matrices on a text."""
    res = page.mixing(reading).res
    return compute.run_in_worker(lambda: analysis.depth(res), compute.about(reading.text))


@st.cache_resource(max_entries=18, show_spinner=False)
def passed(reading: Reading) -> Passed:
    """The forward and backward pass of a model on a text."""
    lm, ids = reading.lm, reading.trace.ids
    return compute.run_in_worker(
        lambda: analysis.passed(lm, ids), compute.about(reading.text), gradients=True
    )


@st.cache_resource(max_entries=18, show_spinner=False)
def simulated(reading: Reading, simulation: Simulation) -> tuple[torch.Tensor, torch.Tensor]:
    """Quantiles of the log10 gains of randomly drawn stacks, [3, S] forward and backward; S counts sublayers."""
    res, shares = page.mixing(reading).res, torch.tensor(QUANTILES, dtype=torch.float64)
    gains = compute.run_in_worker(
        lambda: analysis.simulated(res, 2 * simulation.layers, RUNS, simulation.seed),
        compute.about(reading.text),
    )
    return tuple(gain.quantile(shares, 0) for gain in gains)

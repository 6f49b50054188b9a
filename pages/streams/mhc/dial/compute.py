"""Computes the view "Sinkhorn dial" of the page mHC, cached: logits of a model, and what scaling can do with a matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from pages.streams.mhc.controls import Reading
from tlmviz import kernels
from tlmviz.analysis.streams import mixing, scaling_support
from tlmviz.analysis.streams.scaling_support import Support
from tlmviz.checks import Check, streams_dial
from tlmviz.ui import compute

from .component import ITERATIONS
from .controls import Matrix


@dataclass(frozen=True)
class Judged:
    """A typed matrix: its words as rows, its logits [N, N], and what scaling can do with it."""

    words: list[list[str]]
    logits: np.ndarray
    support: Support


@st.cache_resource(max_entries=16, show_spinner=False)
def logits(reading: Reading) -> torch.Tensor | None:
    """What Sinkhorn makes H_res of, at every sublayer and token, [P, T, N, N]; None for models without."""
    trace = reading.trace
    taps = [f"{place}.logits" for place in mixing.places(trace.n_layers)]
    if taps[0] not in trace.tap_names:
        return None
    tensors = compute.run_in_worker(lambda: trace.tensors(taps), compute.about(reading.text))
    return torch.cat([tensors[tap] for tap in taps])


@st.cache_resource(max_entries=16, show_spinner=False)
def left(reading: Reading) -> float:
    """How far a row sum is from 1 at most behind the model's own iterations."""
    scaled = kernels.sinkhorn(logits(reading), reading.connection.iterations)
    return float(kernels.sinkhorn_errors(scaled)[0].max())


@st.cache_resource(max_entries=16, show_spinner=False)
def judged(matrix: Matrix) -> Judged:
    """A typed matrix and its support. Raises BadShape for what cannot be read."""
    values = scaling_support.parse(matrix.text, matrix.kind)
    return Judged(scaling_support.words(matrix.text), values, scaling_support.support(values > -np.inf))


def checks(matrix: Judged) -> list[Check]:
    """What holds of a typed matrix after 40 iterations: nothing negative; columns exact, unless one is all zeros."""
    values = torch.from_numpy(matrix.logits)
    checks = [streams_dial.entries_stay_positive(values, ITERATIONS)]
    if (matrix.logits > -np.inf).any(0).all():
        checks.append(streams_dial.columns_end_exact(values, ITERATIONS))
    return checks

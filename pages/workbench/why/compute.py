"""Everything the page Why it looks there computes, cached."""

from __future__ import annotations

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.workbench import following
from tlmviz.analysis.workbench.composition import composition
from tlmviz.analysis.workbench.explaining import Explanation, explain
from tlmviz.analysis.workbench.following import Step
from tlmviz.checks import Check
from tlmviz.checks import workbench_explaining as checks
from tlmviz.ui import compute
from tlmviz.ui.compute import run_in_worker

from . import words


@st.cache_resource(max_entries=32, show_spinner=False)
def striking(model: str, text: str) -> Step:
    """The weight that is most worth explaining."""
    lm, trace = compute.model(model), compute.trace(model, text)
    return run_in_worker(lambda: following.striking(lm, trace), len(trace))


@st.cache_resource(max_entries=128, show_spinner=False)
def explanation(model: str, text: str, step: Step) -> Explanation:
    """One weight taken apart."""
    lm, trace = compute.model(model), compute.trace(model, text)
    return run_in_worker(lambda: explain(lm, trace, step.layer, step.head, step.query, step.key), len(trace))


@st.cache_resource(max_entries=64, show_spinner=False)
def attention(model: str, text: str, layer: int, head: int) -> np.ndarray:
    """One head's weights [T, T]."""
    trace = compute.trace(model, text)
    return run_in_worker(lambda: trace.attention(layer, head).float().numpy(), len(trace))


@st.cache_resource(max_entries=4, show_spinner=False)
def compositions(model: str) -> dict[str, np.ndarray]:
    """Composition scores of all pairs of heads. Raises BadShape for latent attention."""
    lm = compute.model(model)

    def work() -> dict[str, np.ndarray]:
        return {kind: found.numpy() for kind, found in composition(lm).items()}

    with st.spinner(words.MULTIPLYING, show_time=True):
        return run_in_worker(work, compute.SHORT + 1)  # large matrices: all cores


def plainest(model: str, text: str, layer: int, head: int) -> Step:
    """The largest weight of a head that is on neither the first token nor the query's own."""
    weights = np.array(attention(model, text, layer, head))
    weights[:, 0] = -1
    np.fill_diagonal(weights, -1)
    query, key = divmod(int(weights.argmax()), len(weights))
    if weights[query, key] <= 0:  # too short a text
        query = key = len(weights) - 1
    return Step(layer, head, query, key)


def places(step: Step, count: int, most: int) -> list[int]:
    """The positions that a map shows: all of a short text, else those around the key and the query."""
    if count <= most:
        return list(range(count))
    near = sorted(range(count), key=lambda at: min(abs(at - step.query), abs(at - step.key)))
    return sorted(near[:most])


@st.cache_resource(max_entries=64, show_spinner=False)
def measured(model: str, text: str, step: Step) -> list[Check]:
    """The identity behind this page, on the weight that is shown."""
    lm, trace = compute.model(model), compute.trace(model, text)
    place = [(step.layer, step.head, step.query, step.key)]
    with torch.inference_mode():
        return run_in_worker(lambda: [checks.sources_add_up(lm, trace, place)], len(trace))

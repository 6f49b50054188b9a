"""What the view Depth computes, cached."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.numbers import norm_depth, warmup
from tlmviz.analysis.numbers.norm_depth import Flow
from tlmviz.analysis.numbers.warmup import Logged
from tlmviz.checks import Check
from tlmviz.checks import numbers_norms as checks
from tlmviz.ui import compute

PRE, POST = MODELS = "zoo-rope", "zoo-post"  # alike in all but where their norms are


@st.cache_resource(show_spinner=False)
def runs() -> list[Logged]:
    """The logged runs. Raises BadCheckpoint."""
    return warmup.read()


@st.cache_resource(max_entries=32, show_spinner=False)
def flow(model: str, text: str) -> Flow:
    """The gradient of the text's loss through one of MODELS. Raises BadText."""
    lm = compute.model(model)
    ids = lm.encode(lm.fit(text)[0])
    return compute.run_in_worker(lambda: norm_depth.flow(lm.network, ids), len(ids), gradients=True)


@st.cache_resource(max_entries=32, show_spinner=False)
def flow_before(model: str, text: str, layers: int) -> Flow:
    """The same before training, through a network with so many layers."""
    lm = compute.model(model)
    ids = lm.encode(lm.fit(text)[0])
    return compute.run_in_worker(
        lambda: norm_depth.flow(norm_depth.before_training(lm.config, layers), ids), len(ids), gradients=True
    )


@st.cache_resource(max_entries=16, show_spinner=False)
def measured(text: str) -> list[Check]:
    """The identity behind this view, on both models."""
    return compute.run_in_worker(
        lambda: [checks.gradient_is_the_slope(compute.model(name), text) for name in MODELS], gradients=True
    )

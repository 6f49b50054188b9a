"""Everything the page Inside a block computes, cached: the steps of a layer, the residual stream, and their checks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.attention.heads import logit_shares
from tlmviz.analysis.attention.matrices import Step
from tlmviz.analysis.attention.residual_stream import Lens, lens, stream_names, stream_norms
from tlmviz.analysis.attention.steps import make_step, tensor_names
from tlmviz.checks import Check, attention_block
from tlmviz.trace import Trace
from tlmviz.ui.compute import about, model, run_in_worker

from .controls import Choice

# Up to 26 MB each, for 1,024 tokens of the default model. Kept apart from the shared traces, which
# would hold every layer's tensors for as long as they live.
WATCHED = 6


@st.cache_resource(max_entries=WATCHED, show_spinner=False)
def _watched(name: str, text: str, layer: int | None) -> Trace:
    """One pass that keeps what one layer's steps read, or the residual stream of all layers for None."""
    lm = model(name)
    names = stream_names(lm.config.n_layers) if layer is None else tensor_names(layer)
    return run_in_worker(lambda: lm.trace(text, keep=names.__contains__), about(text))


def step(choice: Choice) -> Step:
    """One step's matrices, product and quoted lines; the same whichever token is followed."""
    return _step(replace(choice, position=0))


@st.cache_resource(max_entries=16, show_spinner=False)
def _step(choice: Choice) -> Step:
    trace = _watched(choice.model, choice.text, choice.layer)
    return run_in_worker(
        lambda: make_step(choice.lm, trace, choice.step, choice.layer, choice.head), about(choice.text)
    )


def product_check(choice: Choice) -> Check | None:
    """A step's whole product against the model's tensor; None for a step without one."""
    return _product_check(replace(choice, position=0))


@st.cache_data(max_entries=64, show_spinner=False)
def _product_check(choice: Choice) -> Check | None:
    product = step(choice).product
    if product is None:
        return None
    return run_in_worker(lambda: attention_block.product_is_the_tensor(product), about(choice.text))


@st.cache_resource(max_entries=16, show_spinner=False)
def stream(model_name: str, text: str) -> tuple[list[str], np.ndarray, Lens]:
    """Labels of the residual stream's places, its length at each [places, T], and the logit lens."""
    lm, trace = model(model_name), _watched(model_name, text, None)
    return run_in_worker(lambda: (*stream_norms(trace), lens(lm, trace)), about(text))


def shares(choice: Choice, token: int) -> tuple[pd.DataFrame, Check]:
    """Each sublayer's share of a token's logit at the position that is followed, and a check that they sum to it."""
    return _shares(choice.model, choice.text, choice.position, token)


@st.cache_data(max_entries=64, show_spinner=False)
def _shares(name: str, text: str, position: int, token: int) -> tuple[pd.DataFrame, Check]:
    lm, trace = model(name), _watched(name, text, None)
    table = run_in_worker(lambda: logit_shares(lm, trace, position, token), about(text))
    logit = float(trace.logits[position, token])
    return table, attention_block.shares_sum_to_logit(table["share"].tolist(), logit)

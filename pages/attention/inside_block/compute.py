"""What the page "Inside a block" keeps: cached steps, and its controls tied to the shared view."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.attention.heads import logit_shares
from tlmviz.analysis.attention.matrices import Cell, Product, Step
from tlmviz.analysis.attention.residual_stream import Lens, lens, stream_names, stream_norms
from tlmviz.analysis.attention.steps import make_step, tensor_names
from tlmviz.checks import Check, attention_block
from tlmviz.trace import Trace
from tlmviz.ui import compute

# Up to 26 MB each, for 1,024 tokens of the default model. Kept apart from the shared traces, which
# would hold every layer's tensors for as long as they live.
WATCHED = 6


@st.cache_resource(max_entries=WATCHED, show_spinner=False)
def watched(name: str, text: str, layer: int | None) -> Trace:
    """One pass that keeps what one layer's steps read, or the residual stream of all layers for None."""
    lm = compute.model(name)
    names = stream_names(lm.config.n_layers) if layer is None else tensor_names(layer)
    return compute.run_in_worker(lambda: lm.trace(text, keep=names.__contains__), compute.about(text))


@st.cache_resource(max_entries=16, show_spinner=False)
def step(name: str, text: str, which: str, layer: int, head: int) -> Step:
    """One step's matrices, product and quoted lines."""
    lm, trace = compute.model(name), watched(name, text, layer)
    return compute.run_in_worker(lambda: make_step(lm, trace, which, layer, head), compute.about(text))


@st.cache_resource(max_entries=16, show_spinner=False)
def stream(name: str, text: str) -> tuple[list[str], np.ndarray, Lens]:
    """Lengths along the residual stream, their labels, and the logit lens."""
    lm, trace = compute.model(name), watched(name, text, None)
    return compute.run_in_worker(lambda: (*stream_norms(trace), lens(lm, trace)), compute.about(text))


@st.cache_data(max_entries=64, show_spinner=False)
def shares(name: str, text: str, position: int, token: int):
    """Each sublayer's share of one token's logit, and a check that they sum to it."""
    lm, trace = compute.model(name), watched(name, text, None)
    frame = compute.run_in_worker(lambda: logit_shares(lm, trace, position, token), compute.about(text))
    logit = float(trace.logits[position, token])
    return frame, attention_block.shares_sum_to_logit(frame["share"].tolist(), logit)


def cell_check(cell: Cell) -> Check:
    """One cell's sum against the model's number."""
    return attention_block.cell_is_the_sum(cell)


@st.cache_data(max_entries=64, show_spinner=False)
def product_check(name: str, text: str, which: str, layer: int, head: int) -> Check | None:
    """A step's whole product against the model's tensor."""
    product: Product | None = step(name, text, which, layer, head).product
    if product is None:
        return None
    return compute.run_in_worker(lambda: attention_block.product_is_the_tensor(product), compute.about(text))


# --- controls --------------------------------------------------------------------------------------


def stepper(names: tuple[str, ...]) -> str:
    """The steps in a row, with buttons back and forth. Returns the chosen step."""
    if st.session_state.get("step", names[0]) not in names:  # the model before had a step that this one lacks
        st.session_state["step"] = names[0]
    with st.container(horizontal=True, vertical_alignment="top", gap="small"):
        current = st.segmented_control(
            "Step",
            names,
            default=names[0],
            key="step",
            bind="query-params",
            required=True,
            label_visibility="collapsed",
            wrap=True,
            width="stretch",
        )
        where = names.index(current)
        for label, move in (("‹", -1), ("›", 1)):
            target = names[min(max(where + move, 0), len(names) - 1)]
            st.button(
                label,
                key=f"move{move}",
                on_click=_go,
                args=(target,),
                disabled=target == current,
                help=f"To “{target}”",
            )
    return current


def _go(name: str) -> None:
    st.session_state["step"] = name


def column(product: Product) -> int:
    """The chosen column of a product, as an index into those on offer."""
    count = len(product.columns)
    if count == 1:
        return 0
    if "col" in st.session_state:
        st.session_state["col"] = min(int(st.session_state["col"]), count - 1)
    return st.slider(
        product.column[0].upper() + product.column[1:], 0, count - 1, 0, key="col", bind="query-params"
    )

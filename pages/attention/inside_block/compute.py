"""Everything the page Inside a block computes, cached: the steps of a layer, the residual stream, and their checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.attention.heads import logit_shares
from tlmviz.analysis.attention.matrices import Step
from tlmviz.analysis.attention.residual_stream import Lens, lens, stream_names, stream_norms
from tlmviz.analysis.attention.rows import Row, offered, rows_of
from tlmviz.analysis.attention.stack_steps import make_stack_step
from tlmviz.analysis.attention.steps import make_step, tensor_names
from tlmviz.checks import Check, attention_block, measure, translation_cases, translation_masks
from tlmviz.figures import token_label
from tlmviz.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui.compute import about, model, run_in_worker
from tlmviz.ui.translation import SentencePair

from .controls import Choice

# Up to 26 MB each, for 1,024 tokens of the default model. Kept apart from the shared traces, which
# would hold every layer's tensors for as long as they live.
WATCHED = 6
TERMS = 5  # of a product's sum that are listed


@st.cache_resource(max_entries=WATCHED, show_spinner=False)
def _watched(name: str, text: str, layer: int | None) -> Trace:
    """One pass that keeps what one layer's steps read, or the residual stream of all layers for None."""
    lm = model(name)
    names = stream_names(lm.config.n_layers) if layer is None else tensor_names(layer)
    return run_in_worker(lambda: lm.trace(text, keep=names.__contains__), about(text))


def step(choice: Choice) -> Step:
    """One step's matrices, product and quoted lines; the same whichever token is followed."""
    return _step(replace(choice, position=0))


@st.cache_resource(
    max_entries=48, show_spinner=False
)  # all steps of two layers: the first picture needs every one
def _step(choice: Choice) -> Step:
    if (stack := choice.stack) is not None:
        return run_in_worker(
            lambda: make_stack_step(stack, choice.step, choice.layer, choice.head), about(choice.text)
        )
    trace = _watched(choice.model, choice.text, choice.layer)
    return run_in_worker(
        lambda: make_step(choice.lm, trace, choice.step, choice.layer, choice.head), about(choice.text)
    )


def rows(choice: Choice) -> list[Row]:
    """The row of the token that is followed, of every step."""
    steps = [step(replace(choice, step=name)) for name in choice.steps]
    return rows_of(steps, choice.position)


def opened(choice: Choice, rows: Sequence[Row], cell: int | None) -> dict | None:
    """A cell of the chosen step's row taken apart into its largest terms; None where none is chosen or no product made it."""
    row = next((row for row in rows if row.name == choice.step), None)
    if cell is None or row is None or cell >= len(row.values):
        return None
    chosen = step(choice)
    column = offered(chosen, cell)
    if column is None or chosen.product is None or row.token != choice.position:
        return None
    product = chosen.product
    found = product.cell(choice.position, column)
    largest = np.argsort(-np.abs(found.products))[:TERMS]
    terms = product.terms
    names = [f"{product.inner} {k}" + (f" “{token_label(terms[k])}”" if terms else "") for k in largest]
    return {
        "step": choice.step,
        "cell": cell,
        "total": found.total,
        "actual": found.actual,
        "bias": found.bias,
        "count": len(found.products),
        "left": product.left_name,
        "right": product.right_name,
        "terms": [
            [name, float(found.left[k]), float(found.right[k])]
            for name, k in zip(names, largest, strict=True)
        ],
    }


def product_check(choice: Choice) -> Check | None:
    """A step's whole product against the model's tensor; None for a step without one."""
    return _product_check(replace(choice, position=0))


@st.cache_data(max_entries=64, show_spinner=False)
def _product_check(choice: Choice) -> Check | None:
    product = step(choice).product
    if product is None:
        return None
    return run_in_worker(lambda: attention_block.product_is_the_tensor(product), about(choice.text))


def heads_check(choice: Choice) -> Check | None:
    """Whether what the heads write adds up to the output, at every token; None for a step that is not about that."""
    return _heads_check(replace(choice, position=0))


@st.cache_data(max_entries=64, show_spinner=False)
def _heads_check(choice: Choice) -> Check | None:
    parts = step(choice).heads
    if parts is None:
        return None
    return run_in_worker(lambda: attention_block.heads_sum_to_output(parts), about(choice.text))


def checks(choice: Choice) -> list[Check]:
    """The identities behind the page: of a language model's maps, or of every attention of a sentence pair."""
    if choice.pair is None:
        return shared.checks(choice.model, choice.text)
    return _pair_checks(choice.pair)


@st.cache_data(max_entries=32, show_spinner=False)
def _pair_checks(pair: SentencePair) -> list[Check]:
    def work() -> list[Check]:
        given = translation_cases.attentions(pair.mt, pair.text, pair.translation)
        return measure(translation_masks, pair.mt, given)

    return run_in_worker(work, about(pair.text))


@st.cache_resource(max_entries=16, show_spinner=False)
def norms(model_name: str, text: str) -> tuple[list[str], np.ndarray]:
    """Labels of the residual stream's places, and its length at each [places, T]."""
    trace = _watched(model_name, text, None)
    return run_in_worker(lambda: stream_norms(trace), about(text))


@st.cache_resource(max_entries=16, show_spinner=False)
def logit_lens(model_name: str, text: str, first: int, count: int) -> Lens:
    """The logit lens at `count` positions from `first` on: with a large vocabulary every position costs."""
    lm, trace = model(model_name), _watched(model_name, text, None)
    return run_in_worker(lambda: lens(lm, trace, slice(first, first + count)), lm.config.n_layers * count)


def shares(choice: Choice, token: int) -> tuple[pd.DataFrame, Check]:
    """Each sublayer's share of a token's logit at the position that is followed, and a check that they sum to it."""
    return _shares(choice.model, choice.text, choice.position, token)


@st.cache_data(max_entries=64, show_spinner=False)
def _shares(name: str, text: str, position: int, token: int) -> tuple[pd.DataFrame, Check]:
    lm, trace = model(name), _watched(name, text, None)
    table = run_in_worker(lambda: logit_shares(lm, trace, position, token), about(text))
    logit = float(trace.logits[position, token])
    return table, attention_block.shares_sum_to_logit(table["share"].tolist(), logit)

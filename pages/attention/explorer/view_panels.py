"""Draws the explorer's panels below the picture, each its own fragment: a control reruns only its panel."""

from __future__ import annotations

import streamlit as st
import torch

from tlmviz.analysis.attention.scores import products_of
from tlmviz.figures import predictions
from tlmviz.figures.attention import scores
from tlmviz.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, reading

from . import compute, controls, words
from .controls import Choice
from .view_downloads import downloads
from .view_flow import flow


@frame.fragment
def why(choice: Choice) -> None:
    """The element-wise products behind one weight."""
    trace, (layer, head) = choice.trace, choice.view.head
    query, key = choice.pair
    weight = trace.attention(layer, head, slice(query, query + 1), slice(key, key + 1)).item()
    st.caption(words.one_weight(choice, query, key, weight))
    products = products_of(trace, layer, head, query, key).numpy()
    figure = scores.score_products(products, frame.theme())
    frame.chart(figure, key="products", alt=words.PRODUCTS_ALT)


@frame.fragment
def scale(choice: Choice) -> None:
    """The scale 1/sqrt(d) multiplied by a factor: in one row, in the gradient, and in the whole model."""
    factor, theme = controls.choose_factor(), frame.theme()
    rescaled = compute.rescale(choice, factor)
    left, right = st.columns(2)
    with left:
        pair = {"as trained": torch.softmax(rescaled.row, -1).numpy()}
        pair[f"× {factor:g}"] = torch.softmax(rescaled.row * factor, -1).numpy()
        figure = scores.rescaled_row(choice.trace.tokens, pair, theme)
        frame.chart(figure, key="rescaled", alt=words.RESCALED_ALT)
    with right:
        figure = scores.scale_curves(rescaled.factors, rescaled.entropy, rescaled.gradient, factor, theme)
        frame.chart(figure, key="curves", alt=words.CURVES_ALT)
    frame.caption(
        words.rescaled(factor, rescaled.trained_entropy, rescaled.row_entropy),
        maths=words.rescaled_maths(rescaled.row_gradient),
    )
    after = shared.trace(choice.model, choice.text, factor=factor) if factor != 1 else choice.trace
    if factor != 1:
        _compare(choice, after, words.scaled_heading(factor), "scaled")
    if reading.maths():
        _loss_gradient(choice, after)


@frame.fragment
def mute(choice: Choice) -> None:
    """Heads without their output, and what the model loses."""
    if controls.muted_elsewhere():
        st.rerun()
    trace = choice.trace
    heads, how = controls.choose_muted(choice)
    after = shared.trace(choice.model, choice.text, muted=heads, how=how)
    _compare(choice, after, f"{len(heads)} heads muted ({how})", "muted")
    change = (after.loss_per_token() - trace.loss_per_token()).numpy()
    if len(change):
        figure = predictions.loss_change(trace.tokens, change, frame.theme())
        frame.chart(figure, key="loss-change", alt=words.LOSS_CHANGE_ALT)


@frame.fragment
def all_checks(choice: Choice) -> None:
    """Every identity with its error, the ones that need further forward passes included."""
    results = shared.checks(choice.model, choice.text)
    if not results:
        st.info(words.NO_CHECKS)
        return
    table = {
        "": ["✓" if check.passed else "✗" for check in results],
        "check": [check.name for check in results],
        "what holds": [check.claim for check in results],
        "error": [f"{check.error:.2e}" for check in results],
        "allowed": [f"{check.tolerance:.0e}" for check in results],
        "measured as": [check.unit for check in results],
    }
    st.dataframe(table, hide_index=True)
    st.caption(words.checks(choice))


@frame.fragment
def data(choice: Choice) -> None:
    """Head statistics as a table, and everything to take away."""
    units = {"entropy": "entropy (bits)", "distance": "distance (tokens)"}
    statistics = choice.trace.head_statistics().rename(columns=units)
    st.dataframe(statistics.round(4), hide_index=True, height=240)
    downloads(choice)
    st.caption(words.DOWNLOADS)


def _loss_gradient(choice: Choice, after: Trace) -> None:
    """The gradient of the loss with respect to the logits, before and after an intervention."""
    gradient = compute.loss_gradient(choice, after)
    if gradient is not None:
        figure = predictions.gradient(gradient.tokens, gradient.before, gradient.after, frame.theme())
        frame.chart(figure, key="loss-gradient", alt=words.LOSS_GRADIENT_ALT)
    st.markdown(words.loss_gradient(gradient))
    st.caption(words.LOSS_GRADIENT_MATHS)


# In the order of the menu; the names are what a link holds.
PANELS = {
    "Why this weight": why,
    "Flow": flow,
    "Scale": scale,
    "Mute heads": mute,
    "Checks": all_checks,
    "Data": data,
}


def _compare(choice: Choice, after: Trace, what: str, key: str) -> None:
    """Next-token probabilities with and without an intervention, and two numbers that sum the change up."""
    change = compute.changed(choice, after)
    figure = predictions.before_after(change.tokens, change.before, change.after, frame.theme())
    frame.chart(figure, key=f"compare-{key}", alt=f"Next-token probabilities: {what}")
    st.markdown(words.change(what, change.kl_here, change.kl_mean, change.loss))

"""The explorer's panels below the picture, each its own fragment: a control reruns only its panel."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import streamlit as st
import torch

from tlmviz.analysis.attention.heads import kl_divergence
from tlmviz.figures import predictions
from tlmviz.figures.attention import scores
from tlmviz.trace import Trace
from tlmviz.ui import compute, frame, inputs
from tlmviz.ui.link import View

FACTORS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)


def products_of(trace: Trace, layer: int, head: int, query: int, key: int) -> np.ndarray:
    """The terms of one score, [D]: scaled products of query and key, to which relative positions add their vector."""
    q, k, _ = trace.qk(layer, head)
    spec = trace.specs[layer]
    met = k[key] * spec.scale
    if spec.relative is not None:
        met = met + spec.relative[min(query - key, len(spec.relative) - 1)]
    return (q[query] * met).numpy()


@frame.fragment
def why(name: str, text: str, view: View) -> None:
    """The element-wise products behind one weight."""
    trace, (layer, head) = compute.trace(name, text), view.head
    query, key = inputs.pinned(trace, view)
    products = products_of(trace, layer, head, query, key)
    spec = trace.specs[layer]
    term = "q·k/√d" if spec.relative is None else "q·(k + a)/√d, where a is the distance's vector"
    end = "the score" if spec.slopes is None else "the score before ALiBi's penalty"
    weight = trace.attention(layer, head, slice(query, query + 1), slice(key, key + 1)).item()
    st.caption(
        f"Layer {layer}, head {head}: query {query} to key {key} gets weight {weight:.4f}. "
        f"Each bar is one dimension's {term}; the line adds them up to {end}."
        + ("" if view.query is not None else " Pin a cell in the map to choose the pair.")
    )
    chart = scores.score_products(products, frame.theme())
    frame.chart(chart, key="products", alt="Products of query and key per dimension with their running sum")


@frame.fragment
def scale(name: str, text: str, view: View) -> None:
    """The scale 1/sqrt(d) multiplied by a factor: in one row, in the gradient, and in the whole model."""
    trace, (layer, head) = compute.trace(name, text), view.head
    query, _ = inputs.pinned(trace, view)
    factor = st.select_slider(
        "Factor on 1/√d",
        FACTORS,
        1.0,
        key="scale",
        bind="query-params",
        help="Below 1 the softmax flattens, above 1 it gets peaky and its gradient vanishes (section 1.2, Eq. 3).",
    )
    score = trace.scores(layer, head, "masked")
    rows = torch.linspace(0, len(trace) - 1, min(64, len(trace))).long()
    factors = np.geomspace(FACTORS[0], FACTORS[-1], 33)
    entropy, gradient = zip(*(_row_measures(score[rows] * f) for f in factors))
    now = _row_measures(score[query : query + 1] * factor)
    theme = frame.theme()
    left, right = st.columns(2)
    with left:
        pair = {"as trained": torch.softmax(score[query], -1).numpy()}
        pair[f"× {factor:g}"] = torch.softmax(score[query] * factor, -1).numpy()
        frame.chart(
            scores.rescaled_row(trace.tokens, pair, theme),
            key="rescaled",
            alt="One row's weights at two scales",
        )
    with right:
        curves = scores.scale_curves(factors, np.array(entropy), np.array(gradient), factor, theme)
        frame.chart(curves, key="curves", alt="Row entropy and gradient size against the scale factor")
    st.caption(
        f"Pinned row at × {factor:g}: entropy {now[0]:.3f} bits, gradient Σ|p − y| {now[1]:.4f}, "
        "with y one-hot on the row's strongest key."
    )
    changed = compute.trace(name, text, factor=factor)
    _compare(compute.model(name), trace, changed, query, f"Every head of the model at × {factor:g}", "scaled")


@frame.fragment
def mute(name: str, text: str, view: View) -> None:
    """Silence heads and see what the model loses."""
    trace = compute.trace(name, text)
    options = [f"{layer}.{head}" for layer in range(trace.n_layers) for head in range(trace.n_heads)]
    left, right = st.columns([0.75, 0.25])
    chosen = left.multiselect(
        "Muted heads (layer.head)",
        options,
        key="mute",
        bind="query-params",
        placeholder="Choose any number of heads",
    )
    how = right.segmented_control(
        "Replace output by",
        ["zero", "mean"],
        default="zero",
        key="how",
        bind="query-params",
        required=True,
        help="mean: the head's average output over this text, later positions included.",
    )
    heads = tuple(tuple(int(part) for part in choice.split(".")) for choice in sorted(chosen))
    changed = compute.trace(name, text, muted=heads, how=how)
    query, _ = inputs.pinned(trace, view)
    _compare(compute.model(name), trace, changed, query, f"{len(heads)} heads muted ({how})", "muted")
    change = (changed.loss_per_token() - trace.loss_per_token()).numpy()
    if len(change):
        figure = predictions.loss_change(trace.tokens, change, frame.theme())
        frame.chart(figure, key="loss-change", alt="Change of the loss of each token")


@frame.fragment
def all_checks(name: str, text: str, view: View) -> None:
    """Every identity with its error, the ones that need further forward passes included."""
    results = compute.checks(name, text)
    st.dataframe(
        pd.DataFrame(
            {
                "": ["✓" if check.passed else "✗" for check in results],
                "check": [check.name for check in results],
                "what holds": [check.claim for check in results],
                "error": [f"{check.error:.2e}" for check in results],
                "allowed": [f"{check.tolerance:.0e}" for check in results],
                "measured as": [check.unit for check in results],
            }
        ),
        hide_index=True,
    )
    st.caption(
        f"On your own checkpoint: `python -m tlmviz check PATH`. Here: {name}, {len(compute.trace(name, text))} tokens."
    )


@frame.fragment
def data(name: str, text: str, view: View) -> None:
    """Head statistics as a table, and everything to take away."""
    trace, (layer, head) = compute.trace(name, text), view.head
    statistics = trace.head_statistics().rename(
        columns={"entropy": "entropy (bits)", "distance": "distance (tokens)"}
    )
    st.dataframe(statistics.round(4), hide_index=True, height=240)
    left, right = st.columns(2)
    left.download_button(
        f"Map of layer {layer}, head {head} (CSV)",
        lambda: _csv(trace, layer, head),
        f"tlmviz-{name}-L{layer}H{head}.csv",
        "text/csv",
        on_click="ignore",
        width="stretch",
    )
    right.download_button(
        "Trace: ids, q, k, v, lse, logits (NPZ)",
        lambda: _npz(trace),
        f"tlmviz-{name}.npz",
        "application/octet-stream",
        on_click="ignore",
        width="stretch",
    )
    st.caption(
        "PNG and SVG of the map: the buttons above the picture. Other charts: their camera button (SVG)."
    )


# In the order of the menu; the names are what a link holds.
PANELS = {"Why this weight": why, "Scale": scale, "Mute heads": mute, "Checks": all_checks, "Data": data}


def _row_measures(score: torch.Tensor) -> tuple[float, float]:
    """Mean entropy in bits and mean sum |p - y| of some rows of masked scores, y one-hot at each row's largest."""
    p = torch.softmax(score, -1)
    entropy = -torch.xlogy(p, p).sum(-1).mean().item() / np.log(2)
    return entropy, (2 * (1 - p.amax(-1))).mean().item()  # sum |p - y| = (1 - p_y) + the rest, also 1 - p_y


def _compare(lm, before: Trace, after: Trace, position: int, what: str, key: str) -> None:
    """Next-token probabilities with and without an intervention, and two numbers that sum the change up."""
    p, q = before.probabilities(position), after.probabilities(position)
    ids = torch.stack((p, q)).amax(0).topk(8).indices.tolist()
    names = [lm.tokenizer.name(i) for i in ids]
    figure = predictions.before_after(names, p[ids].numpy(), q[ids].numpy(), frame.theme())
    frame.chart(figure, key=f"compare-{key}", alt=f"Next-token probabilities: {what}")
    kl = kl_divergence(before.logits, after.logits)
    loss = (after.loss_per_token() - before.loss_per_token()).mean().item() if len(before) > 1 else 0.0
    st.markdown(
        f"{what}: KL(original‖changed) **{kl[position]:.4f}** nats here, **{kl.mean():.4f}** on average; "
        f"loss **{loss:+.4f}** nats per token."
    )


def _csv(trace: Trace, layer: int, head: int) -> bytes:
    labels = [f"{i}:{token}" for i, token in enumerate(trace.tokens)]
    frame_ = pd.DataFrame(trace.attention(layer, head).numpy(), index=labels, columns=labels)
    return frame_.to_csv(index_label="from \\ to").encode()


def _npz(trace: Trace) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **trace.arrays())
    return buffer.getvalue()

"""Draws the explorer's panels below the picture, each its own fragment: a control reruns only its panel."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
import torch

from tlmviz.analysis.attention.scores import products_of
from tlmviz.figures import number, predictions
from tlmviz.figures.attention import scores
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, inputs, link, reading
from tlmviz.ui.language import _

from . import claims
from .data import Change, Data
from .state import CHECKS, DATA, FLOW, MUTE, SCALE, WHY, Explorer
from .view_flow import flow
from .view_other import downloads

_MUTED, _CHANGED = "_muted", "_muted_in_panel"  # a widget, and that it was used


@frame.fragment
def why(shown: Data) -> None:
    """The element-wise products behind one weight."""
    st.caption(claims.one_weight(shown))
    products = products_of(shown.trace, *shown.chosen.view.head, *shown.pair).numpy()
    figure = scores.score_products(products, frame.theme())
    frame.chart(figure, key="products", alt=_("Products of query and key per dimension with their running sum"))


@frame.fragment
def scale(shown: Data) -> None:
    """The scale 1/sqrt(d) multiplied by a factor: in one row, in the gradient, and in the whole model."""
    factor, theme = Explorer.factor.draw(), frame.theme()
    Explorer.factor.put()
    rescaled = shown.rescale(factor)
    left, right = st.columns(2)
    with left:
        pair = {_("as trained"): torch.softmax(rescaled.row, -1).numpy()}
        pair[f"× {factor:g}"] = torch.softmax(rescaled.row * factor, -1).numpy()
        figure = scores.rescaled_row(shown.trace.tokens, pair, theme)
        frame.chart(figure, key="rescaled", alt=_("One row's weights at two scales"))
    with right:
        figure = scores.scale_curves(rescaled.factors, rescaled.entropy, rescaled.gradient, factor, theme)
        frame.chart(figure, key="curves", alt=_("Mean row entropy and gradient size against the scale factor"))
    frame.caption(
        claims.rescaled(factor, rescaled.trained_entropy, rescaled.row_entropy),
        maths=claims.rescaled_maths(rescaled.row_gradient),
    )
    after = shown.trace
    if factor != 1:
        after = shared.trace(shown.chosen.model, shown.chosen.text, factor=factor)
        _compare(shown.changed(after), _("Every head of the model at × {factor}", factor=f"{factor:g}"), "scaled")
    if reading.maths():
        _loss_gradient(shown, after)


@frame.fragment
def mute(shown: Data) -> None:
    """Heads without their output, and what the model loses."""
    if st.session_state.pop(_CHANGED, False):  # the picture above has to be drawn again
        st.rerun()
    trace, heads = shown.trace, shown.chosen.view.mute
    options = [(layer, head) for layer in range(trace.n_layers) for head in range(trace.n_heads)]
    left, right = st.columns([0.75, 0.25])
    st.session_state[_MUTED] = list(heads)
    left.multiselect(
        _("Muted heads: Alt-click a tile above, or choose here"),
        options,
        key=_MUTED,
        on_change=_keep_muted,
        format_func=lambda head: "L{}H{}".format(*head),
        placeholder=_("Choose any number of heads"),
    )
    how = inputs.replacement_menu(right)
    if not heads:
        layer, head = shown.chosen.view.head
        st.button(
            _("Mute L{layer}H{head}, the head that is shown", layer=layer, head=head),
            key="mute-shown",
            on_click=_mute,
            args=(((layer, head),),),
        )
    after = shared.trace(shown.chosen.model, shown.chosen.text, muted=heads, how=how)
    _compare(shown.changed(after), _("Muted heads: {n} ({how})", n=len(heads), how=how), "muted")
    change = (after.loss_per_token() - trace.loss_per_token()).numpy()
    if len(change):
        figure = predictions.loss_change(trace.tokens, change, frame.theme())
        frame.chart(figure, key="loss-change", alt=_("Change of the loss of each token"))


def _keep_muted() -> None:
    _mute(tuple(sorted(st.session_state[_MUTED])))


def _mute(heads: tuple[tuple[int, int], ...]) -> None:
    link.remember(replace(link.view(), mute=heads))
    st.session_state[_CHANGED] = True


@frame.fragment
def all_checks(shown: Data) -> None:
    """Every identity with its error, the ones that need further forward passes included."""
    results = shared.checks(shown.chosen.model, shown.chosen.text)
    if not results:
        said = _(
            "These identities are measured on networks, and a file has none: `tlmviz check PATH` measures them on a "
            "checkpoint."
        )
        st.info(said)
        return
    table = {
        "": ["✓" if check.passed else "✗" for check in results],
        _("check"): [check.name for check in results],
        _("what holds"): [check.claim for check in results],
        _("error"): [number(check.error, ".2e") for check in results],
        _("allowed"): [number(check.tolerance, ".0e") for check in results],
        _("measured as"): [check.unit for check in results],
    }
    st.dataframe(table, hide_index=True)
    here = _("Here: {model}, {count} tokens.", model=shown.chosen.model, count=len(shown.trace))
    st.caption(_("On your own checkpoint: `tlmviz check PATH`.") + " " + here)


@frame.fragment
def statistics(shown: Data) -> None:
    """Head statistics as a table, and everything to take away."""
    units = {"entropy": _("mean entropy (bits)"), "distance": _("mean distance (tokens)")}
    table = shown.trace.head_statistics().rename(columns=units)
    st.dataframe(table.round(4), hide_index=True, height=240)
    downloads(shown)
    st.caption(
        _(
            "Each statistic is a mean over the rows after the first, but max_logit, the largest score of all rows. The "
            "map as a file: *Save* above the picture."
        )
    )


def _loss_gradient(shown: Data, after: Trace) -> None:
    """The gradient of the loss with respect to the logits, before and after an intervention."""
    gradient = shown.loss_gradient(after)
    if gradient is not None:
        figure = predictions.gradient(gradient.tokens, gradient.before, gradient.after, frame.theme())
        frame.chart(figure, key="loss-gradient", alt=_("Gradient of the loss with respect to the logits"))
    st.markdown(claims.loss_gradient(gradient))
    st.caption(_(claims.LOSS_GRADIENT_MATHS))


def _compare(change: Change, what: str, key: str) -> None:
    """Next-token probabilities with and without an intervention, and two numbers that sum the change up."""
    figure = predictions.before_after(change.tokens, change.before, change.after, frame.theme())
    frame.chart(figure, key=f"compare-{key}", alt=_("Next-token probabilities: {what}", what=what))
    st.markdown(claims.change(what, change.kl_here, change.kl_mean, change.loss))


PANELS = {WHY: why, FLOW: flow, SCALE: scale, MUTE: mute, CHECKS: all_checks, DATA: statistics}

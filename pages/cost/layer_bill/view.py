"""Draws the page One layer's bill: the bill, the table to fill in, areas, parameters, and the feed-forward part."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.cost import feedforward
from tlmviz.analysis.cost.presets import PRESETS
from tlmviz.checks import Check
from tlmviz.checks.cost_layer import has_units
from tlmviz.errors import NoNetwork
from tlmviz.figures.cost import layer as figures
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import bill_view, payload
from .controls import BILL, BY_LAYER, DRAWN, FFN, GROWTH, HAND, PARAMETERS, Choice

SPAN = 5.0  # of x on either side, beyond which activations are shown at the edge


def drawn(choice: Choice) -> None:
    """What the browser draws: the bill, the table to fill in, or the areas."""
    data = payload(
        view=DRAWN[choice.view],
        sizes=choice.sizes,
        presets=compute.presets(choice.model),
        said=choice.said,
        counted=choice.counted,
        prompt=choice.prompt,
        steps=choice.steps,
        toy=list(choice.toy),
        answers=choice.answers,
        origin=choice.origin,
        picture=below.next_picture(),
    )
    bill_view(data, key=controls.KEY, on_change=controls.keep)


def parameters(choice: Choice) -> None:
    """Every parameter of the loaded module as nested areas."""
    every = compute.tensors(choice.model)
    by_layer = choice.grouping == BY_LAYER
    leaves = [(words.path(each, by_layer), each.count, each.part) for each in every]
    total = sum(each.count for each in every)
    figure = figures.treemap(leaves, choice.model, frame.theme(), title=words.parameters_title(choice, total))
    frame.chart(figure, key="treemap", alt=words.TREEMAP_ALT)
    frame.caption(words.share_caption(every))


def feed_forward(choice: Choice) -> None:
    """What the feed-forward part is worth, and what its activation lets through."""
    left, right = st.columns(2)
    with left:
        _removal(choice)
    with right:
        _activation(choice)


def _removal(choice: Choice) -> None:
    layers = tuple(range(choice.lm.config.n_layers))
    if compute.is_slow(choice.model, choice.text) and not st.toggle(
        words.EVERY_LAYER, key="lball", bind="query-params", help=words.SLOW
    ):
        layers = (choice.layer,)
    found = compute.removed(choice.model, choice.text, layers)
    losses = {"feed-forward": (found.ffn, found.no_ffn), "attention": (found.attention, found.no_attention)}
    figure = figures.removal(layers, losses, found.base, frame.theme(), title=words.removed_title(found))
    frame.chart(
        figure,
        key="removed",
        alt=words.REMOVED_ALT,
    )
    frame.caption(words.removed_caption(found))


def _activation(choice: Choice) -> None:
    try:
        every = compute.units(choice.model, choice.text)
    except NoNetwork as error:
        st.info(str(error))
        return
    found = next((each for each in every if each.layer == choice.layer), every[0])
    kind = compute.kind(choice.model, found.layer)
    at = np.linspace(-SPAN, SPAN, 401)
    names = dict.fromkeys(("relu", "gelu", "silu", kind))
    curves = {words.ACTIVATIONS[name]: (at, feedforward.slope(name, at)) for name in names}
    own = words.ACTIVATIONS[kind]
    figure = figures.slopes(
        found.before.ravel(),
        curves,
        own,
        frame.theme(),
        title=words.slopes_what_title(own, found.layer),
    )
    frame.chart(figure, key="slopes", alt=words.SLOPES_ALT)
    frame.caption(words.slope_caption(found, own))


def beneath(choice: Choice) -> None:
    """What follows the picture, once it is painted."""
    if choice.view == BILL:
        below.when_painted("beneath-bill", lambda: _bill_table(choice))
    elif choice.view == GROWTH:
        frame.table(words.growth_rows(choice), words.GROWTH_COLUMNS)
    elif choice.view == PARAMETERS:
        frame.table(
            words.part_rows(choice.lm, compute.tensors(choice.model)), words.PART_COLUMNS, words.PART_HELPS
        )
        frame.table(words.published_rows(PRESETS), words.PUBLISHED_COLUMNS, words.PUBLISHED_HELPS)
    elif choice.view == FFN:
        _beneath_feed_forward(choice)


def _bill_table(choice: Choice) -> None:
    many, one = compute.timings(choice.sizes)
    frame.table(words.bill_rows(choice.sizes, many, one), words.BILL_COLUMNS, words.BILL_HELPS)
    frame.caption(words.timing_caption(choice.sizes, many))


def _beneath_feed_forward(choice: Choice) -> None:
    left, right = st.columns(2)
    with right:
        points, own = words.ratio_points(choice.lm, PRESETS)
        figure = figures.ratios(points, own, frame.theme(), title=words.FEED_FORWARD_TITLE)
        frame.chart(figure, key="ratios", alt=words.RATIOS_ALT)
    if not has_units(choice.lm):
        return
    every = compute.units(choice.model, choice.text)
    found = next((each for each in every if each.layer == choice.layer), every[0])
    with left:
        above = (found.before > 0).mean(0)
        title = words.units_title(found.layer, int(found.dead.sum()), len(above))
        figure = figures.activity(above, frame.theme(), title=title)
        frame.chart(figure, key="activity", alt=words.ACTIVITY_ALT)
    frame.table(words.unit_rows(every), words.UNIT_COLUMNS, words.UNIT_HELPS)
    base = compute.removed(choice.model, choice.text, (choice.layer,)).base
    kind = compute.kind(choice.model, found.layer)
    frame.caption(words.relu_caption(base, compute.relu_loss(choice.model, choice.text), kind))


def measured(choice: Choice) -> list[Check]:
    """The identities behind the view."""
    if choice.view == BILL:
        return compute.measured_sizes(choice.sizes)
    if choice.view == HAND:
        return compute.measured_sizes(controls.toy_sizes(choice.toy))
    if choice.view == GROWTH:
        return compute.measured_growth(choice.sizes, choice.prompt, choice.steps)
    return compute.measured_model(choice.model, choice.text)


PICTURES = {BILL: drawn, HAND: drawn, GROWTH: drawn, PARAMETERS: parameters, FFN: feed_forward}

"""Draws the view "Routing" of the page Experts, and the picture that other views show of changed passes too."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.experts.experts import compute, controls
from pages.experts.experts.compute import Change
from pages.experts.experts.controls import Reading
from tlmviz.ui import below, frame
from tlmviz.ui import reading as level

from . import words
from .component import payload, routing_view

KEY = "xroute"


def show(reading: Reading) -> None:
    """The picture, then what to notice and all that is below."""
    picture(reading, Change(), KEY)
    below.when_painted("beneath-routing", lambda: _beneath(reading))


def picture(
    reading: Reading,
    change: Change,
    key: str,
    *,
    clicks: str = "",
    on_expert: Callable[[], None] | None = None,
) -> None:
    """Tokens x experts of a pass; `clicks` says what a click on an expert does, which `on_expert` is called for."""
    count, layers = compute.shown(reading), reading.layers

    def places(experts: compute.Experts) -> list[tuple[int, int]]:
        return [(layers.index(layer), expert) for layer, expert in experts if layer in layers]

    data = payload(
        compute.arrays(reading, change),
        tokens=reading.tokens[:count],
        layers=layers,
        state=controls.state(reading, compute.opening(reading)),
        picture=below.next_picture(),
        muted=places(change.muted),
        forced=places(change.forced),
        clicks=clicks,
        compared=change.nothing,
        maths=level.maths(),
    )
    routing_view(data, key=key, on_change=lambda: controls.keep(key, layers), on_expert=on_expert)
    controls.share()
    if count < len(reading.tokens):
        st.caption(words.cut(count, len(reading.tokens)))


def _beneath(reading: Reading) -> None:
    frame.what_to_notice(*words.notice(reading, compute.arrays(reading, Change())), maths=words.NOTICE_MATHS)
    badges = st.container()
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(words.snippet(reading))
    with badges:  # last: they take the longest to measure
        frame.measured(lambda: compute.checks(reading))

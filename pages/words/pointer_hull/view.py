"""Draws the page "Pointer network": the live picture, and below it how far the network reaches."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.words.hulls import reach
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import hull_view, payload
from .controls import Choice


def show(choice: Choice) -> None:
    """The picture, then what to notice and all that is below."""
    drawing, exact, found = compute.drawing(choice), compute.exact(choice), compute.verdict(choice)
    data = payload(
        np.array(choice.points),
        drawing.attention,
        order=drawing.order.tolist(),
        exact=exact.tolist(),
        missed=list(found.missed),
        extra=list(found.extra),
        verdict=words.verdict(choice, found, len(exact), len(drawing.order)),
        step=choice.step or compute.doubtful(choice),
        origin=choice.origin,
        seq=choice.sequence,
        picture=below.next_picture(),
    )
    hull_view(data, key=controls.KEY, on_change=controls.keep)
    below.when_painted("beneath-hull", lambda: _beneath(choice))


def _beneath(choice: Choice) -> None:
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    with st.spinner("Drawing fresh hulls …", show_time=True):
        found = compute.reach()
    figure = reach(
        compute.NUMBERS,
        [each.exact for each in found],
        [each.valid for each in found],
        [each.coverage for each in found],
        compute.finder().config.most,
        frame.theme(),
        title=words.fresh_sets_title(compute.SETS),
    )
    frame.chart(figure, key="hullreach", alt=words.HULLREACH_ALT)
    frame.badges(compute.checks(choice))
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(words.snippet(choice))

"""Draws the part "Cost": areas that follow two sliders, and below them times measured on this machine."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.beyond.latents import times
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import cost_view, payload


def show() -> None:
    """The picture, then the measured times."""
    inputs, latents, origin = controls.choose()
    data = payload(inputs, latents, origin=origin, picture=below.next_picture())
    cost_view(data, key=controls.KEY, on_change=controls.keep)
    below.when_painted("beneath-cost", _beneath)


def _beneath() -> None:
    frame.what_to_notice(*words.NOTICE)
    with st.spinner(words.MEASURING, show_time=True):
        timings = compute.timings()
    among = {each.inputs: each.among_inputs for each in timings}
    by = {
        latents: [each.by_latents for each in timings if each.latents == latents]
        for latents in compute.LATENTS
    }
    frame.chart(
        times(list(among), list(among.values()), by, frame.theme(), title=words.TIMES),
        key="lattimes",
        alt=words.LATTIMES_ALT,
    )
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(words.SNIPPET)

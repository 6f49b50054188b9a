"""Draws the view "Capacity" of the page Experts: the pass in which experts are full after some tokens."""

from __future__ import annotations

import streamlit as st

from pages.experts.experts import compute as page
from pages.experts.experts.compute import Change
from pages.experts.experts.controls import Reading
from pages.experts.experts.routing.view import picture
from tlmviz.figures.experts import changes as figures
from tlmviz.ui import below, frame

from . import compute, controls, words
from .controls import KEY, Choice


def show(reading: Reading) -> None:
    """The slider, what is dropped, and the picture with dropped choices crossed."""
    choice, beside = controls.choose(reading)
    beside.markdown(words.dropped(choice, compute.dropped(reading, choice.factor)))
    picture(reading, choice.change, KEY)
    below.when_painted("beneath-capacity", lambda: _beneath(choice))


def _beneath(choice: Choice) -> None:
    reading = choice.reading
    if len(reading.tokens) > 1:
        with st.spinner(f"{len(compute.FACTORS)} passes …", show_time=True):
            shares, losses = compute.curve(reading)
        unlimited = float(page.loss(reading, Change()).mean())
        figure = figures.capacity_curve(
            compute.FACTORS, shares, losses, unlimited, choice.factor, frame.theme()
        )
        frame.chart(figure, key="xcapcurve", alt=words.XCAPCURVE_ALT)
    frame.what_to_notice(*words.NOTICE)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))

"""Draws the view "Training" of the page Experts: loads and biases at moments of the training, walked by a slider."""

from __future__ import annotations

import streamlit as st

from pages.experts.experts.controls import Reading
from tlmviz.figures.experts.training import balance
from tlmviz.ui import frame

from . import compute, words


def show(reading: Reading) -> None:
    """The balance of the model and of those that it was trained beside."""
    moments, missing = compute.moments(reading.model)
    for sentence in missing:
        st.info(sentence)
    if not moments:
        return
    with frame.wide("xtrainwide", 800):
        figure = balance(moments, compute.panels(reading.model), reading.layers, reading.even, frame.theme())
        frame.chart(
            figure,
            key="xtraining",
            alt=words.XTRAINING_ALT,
        )
    frame.what_to_notice(*words.notice(moments), maths=words.NOTICE_MATHS)
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(words.snippet(list(moments)))

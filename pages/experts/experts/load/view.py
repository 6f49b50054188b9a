"""Draws the view "Load" of the page Experts: how many tokens each expert reads, and which."""

from __future__ import annotations

import streamlit as st

from pages.experts.experts import compute as page
from pages.experts.experts.controls import Reading
from tlmviz.figures.experts.loads import load_maps
from tlmviz.ui import frame

from . import compute, controls, words


def show(reading: Reading) -> None:
    """The loads on the text and on held-out stories, and what each expert of a layer answers to."""
    survey = compute.held_out(reading.model)
    maps = {"on your text": page.loads(reading)}
    if survey is not None:
        maps["on held-out stories"] = compute.held_out_loads(survey)
    with frame.wide("xloadwide", 760):
        figure = load_maps(
            maps,
            reading.layers,
            reading.even,
            frame.theme(),
            title=words.share_tokens_title(100 * reading.even),
        )
        frame.chart(figure, key="xload", alt=words.XLOAD_ALT)
    layer = controls.choose_layer(reading, page.opening(reading)[0])
    frame.table(
        words.rows(
            page.loads(reading)[reading.layers.index(layer)], compute.readers(reading, layer), survey, layer
        ),
        {"your text": "{:.1%}".format, "held out": "{:.1%}".format},
        helps=words.HELPS,
    )
    if survey is None:
        st.caption(words.no_survey(reading.model))
    frame.what_to_notice(*words.notice(reading, page.loads(reading), survey), maths=words.NOTICE_MATHS)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(reading))

"""Draws the streams through depth: their lengths and cosines, what was read of each and what was written to it."""

from __future__ import annotations

import streamlit as st

from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import Reading
from pages.streams.mhc.view import offer
from tlmviz.analysis.streams import vectors
from tlmviz.analysis.streams.unrolled import part_names
from tlmviz.figures.streams import mixing as figures
from tlmviz.ui import frame

from . import compute, controls
from . import words_depth as words
from .controls import Choice


def show(choice: Choice) -> None:
    """Lengths, cosines, what was read and what was written, token by token."""
    reading, journey = choice.reading, compute.journey(choice.reading)
    streams = journey.norms.shape[2]
    figure = figures.through_depth(
        journey.at(choice.slice),
        vectors.pairs(streams),
        part_names(reading.lm.config.n_layers),
        reading.tokens[choice.slice],
        choice.first,
        frame.theme(),
        offset=choice.window.start,
    )
    with frame.wide("sxwide", 940):
        frame.chart(
            figure,
            key=controls.CHARTS[choice.part],
            alt=words.SHOW_ALT,
        )
    note_window(choice)
    if streams == 1:
        _one_stream(reading)
    else:
        frame.what_to_notice(*words.NOTICE)
    frame.badges(page.checks(reading))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))


def note_window(choice: Choice) -> None:
    """Which tokens the slider reaches, where not all."""
    if len(choice.window) < len(choice.reading.tokens):
        st.caption(words.window(choice))


def _one_stream(reading: Reading) -> None:
    """What one stream means, and the way to a model with several."""
    st.markdown(words.one_stream(reading.model))
    other = page.family(reading.model).get("manifold")
    if other:
        offer(st, other, key="sxother", width="content")

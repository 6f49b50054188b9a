"""Draws the pass with one stream at zero, and what that costs."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.streams.mhc import compute as page
from tlmviz.analysis.streams.unrolled import part_names
from tlmviz.figures.streams import mixing as figures
from tlmviz.ui import frame

from . import compute, controls
from . import words_muting as words
from .controls import Muting

AT_ONCE = 6_000  # tokens of all passes behind the map, up to which it is drawn without a toggle


def show(muting: Muting) -> None:
    """The loss of every token without a stream, and the mean loss without any one from any place on."""
    reading = muting.reading
    before, after = reading.trace.loss_per_token().numpy(), compute.muted_losses(muting)
    st.markdown(words.cost(muting, before, after))
    with frame.wide("sxwidelosses", 800):
        figure = figures.losses(
            reading.tokens, before, after, frame.theme(), what=f"stream {muting.stream} muted"
        )
        frame.chart(
            figure,
            key="sxlosses",
            alt=words.sxlosses_alt(muting.stream),
        )
    if reading.connection.streams == 1:
        st.markdown(words.one_stream(reading))
    _map(muting, before)
    frame.what_to_notice(*words.NOTICE)
    frame.badges(page.checks(reading))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(muting))


def _map(muting: Muting, before: np.ndarray) -> None:
    """Every stream muted from every place on: on longer texts only when the user asks for it."""
    reading, parts = muting.reading, part_names(muting.reading.lm.config.n_layers)
    passes = reading.connection.streams * len(parts)
    if len(reading.tokens) * passes > AT_ONCE and not controls.choose_all_places(passes):
        return
    with st.spinner(f"{passes} passes …", show_time=True):
        losses = compute.all_muted_losses(reading)
    figure = figures.muted_map(losses - before.mean(), (muting.stream, muting.start), parts, frame.theme())
    with frame.wide("sxwidemuted", 800):
        frame.chart(figure, key="sxmutedmap", alt=words.SXMUTEDMAP_ALT)

"""Computes the view "Streams" of the page mHC, cached: the streams of a text, coefficients, and losses with one muted."""

from __future__ import annotations

import numpy as np
import streamlit as st
import torch

from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import Reading
from tlmviz.analysis.streams import unrolled as analysis
from tlmviz.analysis.streams import vectors
from tlmviz.analysis.streams.unrolled import Unrolled
from tlmviz.analysis.streams.vectors import Journey
from tlmviz.ui import compute

from .controls import Muting


@st.cache_resource(max_entries=16, show_spinner=False)
def journey(reading: Reading) -> Journey:
    """The streams of a text, from a pass of its own: a shared trace would hold every layer's vectors."""
    lm = reading.lm
    taps = set(vectors.journey_taps(lm.config.n_layers, reading.connection.kind != "residual"))
    return compute.run_in_worker(
        lambda: vectors.journey(lm.trace(reading.text, keep=taps.__contains__)), compute.about(reading.text)
    )


@st.cache_resource(max_entries=16, show_spinner=False)
def unrolled(reading: Reading) -> Unrolled:
    """Every coefficient of a text."""
    mixing = page.mixing(reading)
    return compute.run_in_worker(lambda: analysis.unroll(mixing), compute.about(reading.text))


@st.cache_resource(max_entries=64, show_spinner=False)
def muted_losses(muting: Muting) -> np.ndarray:
    """Loss per token with a stream muted, [T - 1]."""
    lm, text = muting.reading.lm, muting.reading.text
    edits = vectors.mute_stream(lm.config.n_layers, muting.stream, muting.start)
    return compute.run_in_worker(
        lambda: lm.trace(text, edit=edits, keep="logits".__eq__).loss_per_token().numpy(), compute.about(text)
    )


@st.cache_data(max_entries=16, show_spinner=False)
def strongest_stream(reading: Reading) -> int:
    """The stream that costs the most when it is muted from the embedding on."""
    lm, ids = reading.lm, reading.trace.ids
    cases = [(stream, 0) for stream in range(reading.connection.streams)]
    losses = compute.run_in_worker(
        lambda: vectors.muted_losses(lm, ids, cases).mean(-1), compute.about(reading.text)
    )
    return int(losses.argmax())


@st.cache_resource(max_entries=16, show_spinner=False)
def all_muted_losses(reading: Reading) -> np.ndarray:
    """Mean loss with every stream muted from every place on, [N, places]."""
    lm, ids = reading.lm, reading.trace.ids
    streams = reading.connection.streams
    cases = [(stream, start) for stream in range(streams) for start in range(2 * lm.config.n_layers + 1)]

    def work() -> torch.Tensor:
        return vectors.muted_losses(lm, ids, cases).mean(-1)

    return compute.run_in_worker(work, compute.about(reading.text)).view(streams, -1).numpy()

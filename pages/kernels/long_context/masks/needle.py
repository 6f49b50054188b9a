"""The needle test of the view Masks: made-up names are read twice, and each method finds them again or does not."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from tlmviz.analysis.kernels import needle
from tlmviz.analysis.kernels.sparse_methods import Method
from tlmviz.figures.kernels import needle as figures
from tlmviz.layers.sparse import SparsePattern
from tlmviz.ui import compute, frame

from . import words
from .controls import MaskChoice


@st.cache_data(max_entries=64, show_spinner=False)
def gains(model: str, method: Method) -> np.ndarray:
    """What the first occurrence gains at every distance, [D] nats per token. Raises BadText."""
    lm, swapped = compute.model(model), None if method == SparsePattern() else method
    measured = [
        compute.run_in_worker(partial(needle.gain, lm, swapped, distance), distance)
        for distance in needle.DISTANCES
    ]
    return np.array(measured)


def show(model: str, choice: MaskChoice) -> None:
    """A switch, and where it is on the test of every method that is compared."""
    asked = st.toggle(
        words.NEEDLE_BUTTON,
        key="lneedle",
        bind="query-params",
        help=words.needle_help(needle.NEEDLE.strip()),
    )
    if not asked:
        return
    values, place = {}, st.empty()
    for name, method in choice.methods.items():
        with place, st.spinner(words.needle_waiting(name), show_time=True):
            values[name] = gains(model, method)
    place.empty()
    figure = figures.gains(values, needle.DISTANCES, needle.FOUND, frame.theme())
    frame.chart(figure, key="needle", alt=words.NEEDLE_ALT)
    reaches = {name: needle.reach(line) for name, line in values.items()}
    st.caption(words.needle_sentence(reaches, needle.FOUND, needle.DISTANCES[0]))

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
        "Needle test: which of them still find a name?",
        key="lneedle",
        bind="query-params",
        help=f"“{needle.NEEDLE.strip()}” is read, then stories, then the same names again: ten passes for each method.",
    )
    if not asked:
        return
    values, place = {}, st.empty()
    for name, method in choice.methods.items():
        with place, st.spinner(f"{name}: looking for the names …", show_time=True):
            values[name] = gains(model, method)
    place.empty()
    figure = figures.gains(values, needle.DISTANCES, needle.FOUND, frame.theme())
    frame.chart(figure, key="needle", alt="Gain by distance, a line for each method")
    st.caption(sentence(values))


def sentence(values: dict[str, np.ndarray]) -> str:
    """How far back each method found the names."""
    reaches = {name: needle.reach(line) for name, line in values.items()}
    found = [f"{name} up to {reach} tokens back" for name, reach in reaches.items() if reach is not None]
    lost = [name for name, reach in reaches.items() if reach is None]
    parts = [
        f"Found (the names gain {needle.FOUND:g} nats per token or more): {', '.join(found)}."
        if found
        else ""
    ]
    parts.append(f"Not even {needle.DISTANCES[0]} tokens back: {', '.join(lost)}." if lost else "")
    return (
        " ".join(filter(None, parts))
        + " Gain: log p of the repeated names, minus the same where stories stand in place of the first ones, "
        "both with the method in every layer."
    )

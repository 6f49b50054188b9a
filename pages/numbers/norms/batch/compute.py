"""What the views Norms and Convolution compute, cached."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.numbers import norm_pictures, norms
from tlmviz.analysis.numbers.norms import Batch, Offset
from tlmviz.checks import Check
from tlmviz.checks import numbers_norms as checks
from tlmviz.errors import UnknownName
from tlmviz.ui import compute


@st.cache_resource(max_entries=16, show_spinner=False)
def batch(model: str, text: str, place: str) -> Batch:
    """What one norm is given of the text's sentences. Raises BadText."""
    lm = compute.model(model)
    return compute.run_in_worker(lambda: norms.collect(lm, text, place), compute.about(text))


@st.cache_resource(max_entries=16, show_spinner=False)
def others(model: str, place: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean and unbiased variance per channel of what that norm is given of other texts, [K, C] each."""
    lm = compute.model(model)
    return norm_pictures.batch_moments(
        compute.run_in_worker(lambda: norms.other_batches(lm, place), norms.OTHERS * norms.LENGTH)
    )


@st.cache_resource(show_spinner=False)
def maps() -> dict[str, np.ndarray]:
    """Pictures, labels, what the filters make of them, and the statistics of other batches."""
    images, labels = norm_pictures.shown()
    means, variances = norm_pictures.batch_moments(norm_pictures.other_batches())
    return {
        "images": images,
        "labels": np.array(labels),
        "x": norm_pictures.responses(images),
        "means": means,
        "variances": variances,
    }


@st.cache_resource(max_entries=16, show_spinner=False)
def offsets(model: str, text: str) -> dict[str, Offset]:
    """The mean that each norm's output keeps, and what the product that reads it makes of that; of norms that one reads."""
    lm, found = compute.model(model), {}
    for place, name in norms.places(lm).items():
        try:
            weight, bias = norms.reader(lm, place)
        except UnknownName:
            continue
        y = batch(model, text, place).out
        found[name] = compute.run_in_worker(
            lambda y=y, weight=weight, bias=bias: norms.offset(y, weight, bias)
        )
    return found


@st.cache_resource(max_entries=16, show_spinner=False)
def losses(model: str, text: str) -> tuple[float, float]:
    """The text's loss as the model is and with the mean taken off before every norm, in nats per token; NaN for one token."""
    lm = compute.model(model)
    ids = lm.encode(text)
    if len(ids) < 2:
        return float("nan"), float("nan")
    return compute.run_in_worker(lambda: norms.centred_loss(lm, ids), len(ids))


@st.cache_resource(max_entries=16, show_spinner=False)
def measured(model: str, text: str) -> list[Check]:
    """The identities behind the view Norms."""
    lm = compute.model(model)
    return compute.run_in_worker(lambda: [entry(lm, text) for entry in checks.OF_TEXT if entry.applies(lm)])


@st.cache_resource(show_spinner=False)
def measured_maps() -> list[Check]:
    """The identity behind the view Convolution."""
    return compute.run_in_worker(lambda: [checks.running_is_torchs(norm_pictures.other_batches()[:20])])

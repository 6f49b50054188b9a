"""What the page Formats computes of the loaded model, cached: its weights, activations and gradients on a text."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.numbers import model_values
from tlmviz.analysis.numbers.formats import FORMATS
from tlmviz.analysis.numbers.model_values import Fates
from tlmviz.checks import Check
from tlmviz.checks import numbers_formats as checks
from tlmviz.ui import compute

KINDS = ("weights", "activations", "gradients")


@st.cache_resource(max_entries=8, show_spinner=False)
def values(model: str, text: str) -> dict[str, np.ndarray]:
    """Numbers of each of KINDS. Raises BadText."""
    lm = compute.model(model)
    ids = lm.encode(text)
    return compute.run_in_worker(lambda: model_values.values(lm, ids), len(ids), gradients=True)


@st.cache_resource(max_entries=24, show_spinner=False)
def fates(model: str, text: str, kind: str) -> dict[str, Fates]:
    """What every format makes of one kind of numbers, by its name."""
    found = values(model, text)[kind]
    return compute.run_in_worker(lambda: {each.name: model_values.fates(found, each) for each in FORMATS})


@st.cache_resource(max_entries=8, show_spinner=False)
def measured(model: str, text: str) -> list[Check]:
    """The identities behind this page, on the model's weights."""
    lm = compute.model(model)
    return compute.run_in_worker(lambda: [checks.rounding_is_torchs(lm, text), checks.fates_add_up(lm, text)])

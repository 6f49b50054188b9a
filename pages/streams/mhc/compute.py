"""Computes what several views of the page mHC show, cached: mixing matrices, related models, and the identities."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.streams.depth import relatives
from tlmviz.analysis.streams.mixing import Mixing, mixing_of
from tlmviz.checks import Check, measure
from tlmviz.checks import streams as stream_checks
from tlmviz.ui import compute

from .controls import Reading


@st.cache_data(max_entries=16, show_spinner=False)
def family(model: str) -> dict[str, str]:
    """Connection -> name, of the models that differ from this one in their connections alone."""
    return relatives(model)


def most_streams(model: str) -> int:
    """The largest number of streams in a model's family."""
    return max(compute.model(member).config.connection.streams for member in family(model).values())


@st.cache_resource(max_entries=16, show_spinner=False)
def mixing(reading: Reading) -> Mixing:
    """The mixing matrices of every sublayer at every token."""
    trace = reading.trace
    return compute.run_in_worker(lambda: mixing_of(trace), compute.about(reading.text))


@st.cache_resource(max_entries=64, show_spinner=False)
def checks(reading: Reading) -> list[Check]:
    """The identities of the model's connections, measured on the text."""
    lm, trace = reading.lm, reading.trace
    return compute.run_in_worker(lambda: measure(stream_checks, lm, trace), compute.about(reading.text))

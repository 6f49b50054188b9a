"""What the views of the page mHC share: the model, the text, the token and the sublayer looked at. All of it is in the URL."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.streams import mixing as streams
from tlmviz.analysis.streams.depth import relatives
from tlmviz.checks import Check, measure
from tlmviz.checks import streams as stream_checks
from tlmviz.ui import compute

VIEWS = ("Matrices", "Sinkhorn dial", "Depth", "Streams", "Training")


@st.cache_data(max_entries=16, show_spinner=False)
def family(name: str) -> dict[str, str]:
    """Connection -> name, of the models that differ from this one in their connections alone."""
    return relatives(name)


@st.cache_resource(max_entries=16, show_spinner=False)
def mixing(name: str, text: str) -> streams.Mixing:
    """The mixing matrices of every sublayer at every token of a text."""
    trace = compute.trace(name, text)
    return compute.run_in_worker(lambda: streams.mixing_of(trace), compute.about(text))


@st.cache_resource(max_entries=64, show_spinner=False)
def checks(name: str, text: str) -> list[Check]:
    """The identities of this model's connections, measured on a text."""
    lm, trace = compute.model(name), compute.trace(name, text)
    return compute.run_in_worker(lambda: measure(stream_checks, lm, trace), compute.about(text))


def place(tokens: int, sublayers: int) -> tuple[int, int]:
    """The token and the sublayer looked at, which follow the user from view to view: the last token and the first, at first."""
    if "_stream_place" not in st.session_state:
        asked = (st.query_params.get(key, "") for key in ("stok", "ssub"))
        st.session_state["_stream_place"] = tuple(
            int(value) if value.isdecimal() else None for value in asked
        )
    token, sublayer = st.session_state["_stream_place"]
    return (tokens - 1 if token is None else min(token, tokens - 1)), min(sublayer or 0, sublayers - 1)


def remember(token: int, sublayer: int) -> None:
    """Keep where the user looks, for the session and in the URL."""
    st.session_state["_stream_place"] = token, sublayer
    for key, value in (("stok", token), ("ssub", sublayer)):
        if st.query_params.get(key) != str(value):
            st.query_params[key] = str(value)

"""What the views of the page mHC share: the model, the text, the token and the sublayer looked at. All of it is in the URL."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis import streams
from tlmviz.networks.zoo import stream_models

from . import compute

DEFAULT_MODEL = "stories-mhc"
VIEWS = ("Matrices", "Sinkhorn dial", "Depth", "Streams", "Training")


@st.cache_data(show_spinner=False)
def models() -> dict[str, str]:
    """The bundled models with hyper-connections, and their plain twin: name -> description."""
    return stream_models()


@st.cache_resource(max_entries=16, show_spinner=False)
def mixing(name: str, text: str) -> streams.Mixing:
    """The mixing matrices of every sublayer at every token of a text."""
    trace = compute.trace(name, text)
    return compute.alone(text, lambda: streams.mixing_of(trace))

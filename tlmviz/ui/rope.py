"""For pages about RoPE: which models have it, and a way to one of them from a model without."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.positions import rope_planes
from tlmviz.checkpoints.registry import language_config
from tlmviz.errors import BadConfig

from . import compute, frame


@st.cache_data(show_spinner=False)
def rope_models() -> list[str]:
    """The bundled models whose queries and keys are turned by RoPE; their weights are not read."""
    return [name for name in compute.models() if rope_planes.has_planes(language_config(name))]


def offer_rope_models(name: str) -> None:
    """For a model without RoPE: what it has instead, and the models that have it, to open."""
    try:
        rope_planes.own_base(compute.model(name).config)
    except BadConfig as error:
        st.warning(frame.worded(error))
    with st.container(horizontal=True):
        for other in rope_models():
            st.button(other, key=f"open-{other}", on_click=_open, args=(other,), help=compute.models()[other])


def _open(name: str) -> None:
    st.session_state["model"] = name

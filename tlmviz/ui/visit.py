"""How somebody came: with a link, or with none, and from which address."""

from __future__ import annotations

import streamlit as st

from tlmviz.checkpoints.folders import opened_models
from tlmviz.hosting.addresses import MAPPED

from . import compute

ARRIVED = "_visit_began"  # session: that its first run is over


def address() -> str:
    """From where, for what is limited by address; Streamlit tells none of this machine's own."""
    return str(st.context.ip_address or "localhost").removeprefix(MAPPED)


def is_bare() -> bool:
    """Whether this is a session's first run, with nothing in its link and nothing that `tlmviz run` was given to
    open."""
    first = ARRIVED not in st.session_state
    st.session_state[ARRIVED] = True
    return first and not st.query_params.to_dict() and not opened_models() and compute.DEFAULT_MODEL in compute.models()

"""Draws what the parts of the page Word vectors share: what to type where nothing can be read."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from tlmviz.errors import BadText, UnknownName
from tlmviz.ui import frame


def readable(read: Callable[[], object]) -> bool:
    """Whether what was typed can be read; else a sentence says what to type."""
    try:
        read()
    except (BadText, UnknownName) as error:
        st.info(frame.worded(error))
        return False
    return True

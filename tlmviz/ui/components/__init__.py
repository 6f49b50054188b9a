"""The custom components that pages share, each a folder of plain JavaScript."""

from __future__ import annotations

from typing import Any


def said_by(key: str, name: str) -> dict[str, Any]:
    """What the component of this key sent last as `name`; empty before it did, and where a tab says what is no
    object."""
    import streamlit as st  # late: files are written without it

    found = (st.session_state.get(key) or {}).get(name)
    return found if isinstance(found, dict) else {}

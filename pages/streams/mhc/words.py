"""What views of several models side by side have in common: room on a phone, and a word on models that are not there."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.config import CONNECTIONS

KINDS = {
    "residual": "plain residuals",
    "hyper": "hyper-connections (HC)",
    "manifold": "constrained hyper-connections (mHC)",
}


def absent(members: dict[str, str]) -> None:
    """A sentence where a family lacks a kind of connection."""
    missing = [KINDS[kind] for kind in CONNECTIONS if kind not in members]
    if missing:
        st.caption(
            f"No model of this size with {' or '.join(missing)} is here; {', '.join(members.values())} can be shown."
        )


def wide(key: str, width: int = 800) -> DeltaGenerator:
    """A container for several columns of pictures, no narrower than `width` pixels: a phone scrolls it sideways."""
    st.html(
        f"<style>.st-key-{key} {{ overflow-x: auto; }} .st-key-{key} > div {{ min-width: {width}px; }}</style>"
    )
    return st.container(key=key)

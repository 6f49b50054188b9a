"""Draws what several views of the page mHC have in common: the way to another model, and a note on models that are missing."""

from __future__ import annotations

import streamlit as st

from . import words
from .controls import open_model


def note_missing(family: dict[str, str]) -> None:
    """A sentence where a family, connection -> name, lacks a kind of connection."""
    sentence = words.missing(family)
    if sentence:
        st.caption(sentence)


def offer(place, model: str, key: str, width: str = "stretch") -> None:
    """A button at `place` that opens a model. The menu of models is outside of the fragment, so the whole app runs again."""
    if place.button(f"Show {model}", key=key, on_click=open_model, args=(model,), width=width):
        st.rerun(scope="app")

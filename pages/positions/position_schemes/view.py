"""Draws what both parts of the page Position schemes share: the choice of a text."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.ui import inputs, long_text
from tlmviz.ui.language import _

from .state import Reading


def text(place: DeltaGenerator) -> Reading:
    """The bundled stories or an own text, whose box stands open below; what is read."""
    if Reading.source.draw(place) != long_text.OWN:
        return Reading.of_session()
    own = inputs.allowed(Reading.own.draw())
    if not own.strip():
        st.info(_("Nothing is written yet: the sample stories are read until there is."))
    return Reading.of_session(own=own)

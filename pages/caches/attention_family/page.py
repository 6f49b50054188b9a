"""Attention family: from multi-head over grouped and multi-query to latent attention, on trained models."""

import streamlit as st

from pages.caches.attention_family import (
    compute,
    controls,
    examples,
    view_latent,
    view_maps,
    view_morph,
    view_redundancy,
    words,
)
from tlmviz.ui import frame, link

DRAW = {
    controls.MORPH: view_morph.morph,
    controls.MAPS: view_maps.maps,
    controls.LATENT: view_latent.latent,
    controls.REDUNDANCY: view_redundancy.redundancy,
}


@frame.fragment
def show(model: str) -> None:
    """The controls and the chosen part of the page."""
    choice = controls.choose(model)
    if choice is None:
        return
    DRAW[choice.view](choice)
    frame.what_to_notice(*words.NOTICE[choice.view], maths=words.NOTICE_MATHS[choice.view])
    frame.measured(lambda: compute.checks(choice.reading))
    frame.equation(*words.EQUATIONS[choice.view])
    link.share()


frame.heading("Attention family", words.CLAIM, examples.examples)
show(st.session_state["model"])

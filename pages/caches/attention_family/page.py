"""The attention family: from multi-head over grouped and multi-query to latent attention, on trained models."""

import streamlit as st

from pages.caches.attention_family import (
    compute as family_state,
)
from pages.caches.attention_family import (
    controls as family_controls,
)
from pages.caches.attention_family import (
    view as family_parts,
)
from pages.caches.attention_family import (
    view_latent as mla_parts,
)
from pages.caches.attention_family import (
    view_redundancy as redundancy_parts,
)
from pages.caches.attention_family import (
    words as family_words,
)
from tlmviz.ui import compute, frame, inputs, link

# Pictures with several panels need their width: a phone scrolls them sideways.
_WIDE = """<style>@media (max-width: 900px) {
[class*="st-key-wide-"] { overflow-x: auto; } [class*="st-key-wide-"] > div { min-width: 880px; }
}</style>"""
PANELS = {
    "Morph": family_parts.morph,
    "Trained maps": family_parts.maps,
    "Latent attention": mla_parts.panel,
    "Redundancy": redundancy_parts.panel,
    "Collapse lemma": family_parts.collapse,
}


@frame.fragment
def show(name: str) -> None:
    """The text, which part of the page, and that part."""
    text = inputs.text_box(compute.model(name))
    if text is None:
        return
    view = family_controls.view()
    if view == "Latent attention":
        found = mla_parts.chosen(name)
        if found is None:
            return
        name, text = found, family_state.shortened(found, text)
    PANELS[view](name, text)
    frame.what_to_notice(*family_words.POINTS[view])
    frame.badges(family_state.checks(name, text))
    frame.equation(*family_words.EQUATIONS[view])
    link.share()


st.html(_WIDE)
frame.heading("The attention family", "MHA, GQA, MQA, MLA: who shares keys and values, and at what price.")
show(st.session_state["model"])

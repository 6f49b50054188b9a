"""Attention family: from multi-head over grouped and multi-query to latent attention, on trained and published
models."""

import streamlit as st

from pages import IN
from pages.caches.attention_family.calculator import page as calculator
from pages.caches.attention_family.calculator.state import Deployment
from pages.caches.attention_family.collapse import page as collapse
from pages.caches.attention_family.collapse.state import Lemma
from pages.caches.attention_family.data import Reading
from pages.caches.attention_family.examples import examples
from pages.caches.attention_family.latent import page as latent
from pages.caches.attention_family.maps import page as maps
from pages.caches.attention_family.morph import page as morph
from pages.caches.attention_family.morph.state import Morph
from pages.caches.attention_family.redundancy import page as redundancy
from pages.caches.attention_family.redundancy.state import Ablation
from pages.caches.attention_family.state import CALCULATOR, COLLAPSE, LATENT, MAPS, MORPH, REDUNDANCY, ZOO, Family
from pages.caches.attention_family.zoo import page as zoo
from pages.caches.attention_family.zoo.state import Zoo
from tlmviz.ui import compute, frame, inputs

PARTS = {MORPH: morph.show, MAPS: maps.show, LATENT: latent.show, REDUNDANCY: redundancy.show, COLLAPSE: collapse.show}


@frame.fragment
def show(model: str) -> None:
    """The text, the menu of parts, and the chosen one."""
    text = inputs.text_box(compute.model(model))
    view = Family.view.draw()
    Family.of_session(model=model, text=text or "")
    if view == CALCULATOR:  # needs no text
        calculator.show()
    elif view == ZOO:
        zoo.show(model)
    elif text is not None:
        PARTS[view](Reading(model, text))


frame.heading(IN["caches/attention_family"], examples, Family, Morph, Ablation, Lemma, Deployment, Zoo)
show(st.session_state["model"])

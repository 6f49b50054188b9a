"""Norms and dropout: what each norm takes its statistics over, and what it makes invariant, on a model's own activations."""

import streamlit as st

from pages.numbers.norms import controls, examples, words
from pages.numbers.norms.batch import view as batch
from pages.numbers.norms.depth import view as depth
from pages.numbers.norms.dropout import view as dropout
from tlmviz.ui import frame, link

SHOW = {
    controls.NORMS: batch.show_tokens,
    controls.PICTURES: batch.show_maps,
    controls.DEPTH: depth.show,
    controls.DROPOUT: dropout.show,
}


@frame.fragment
def show(model: str) -> None:
    """The chosen view."""
    choice, room = controls.choose(model)
    if choice is None:
        return
    SHOW[choice.view](choice, room)
    link.share()


frame.heading("Norms and dropout", words.CLAIM, examples.examples)
show(st.session_state["model"])

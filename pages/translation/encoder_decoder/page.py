"""Encoder & decoder: the three attentions of a translating Transformer, the shifted target, and what leaks without the mask."""

import streamlit as st

from pages.translation.encoder_decoder import compute, controls, examples, view, words
from tlmviz.ui import frame, link, translation


@frame.fragment
def show(model: str) -> None:
    """The sentence and its translation, three maps, the leak, and where K and V come from."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        view.three_maps(choice)
    frame.what_to_notice(*words.NOTICE)
    view.leak(choice)
    view.keys_and_values(choice)
    frame.badges(compute.checks(choice.pair))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))
    link.share()


frame.heading("Encoder & decoder", words.CLAIM, examples.examples)
name = st.session_state["mt"]
if translation.model(name).config.kind == "encoder-decoder":
    show(name)
else:
    controls.offer_transformer(name)

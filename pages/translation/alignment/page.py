"""Alignment & coverage: where each translated word looked, what was looked at twice or never, and what that costs."""

import streamlit as st

from pages.translation.alignment import controls, examples, words
from pages.translation.alignment.by_hand import page as by_hand
from pages.translation.alignment.coverage_models import page as coverage_models
from pages.translation.alignment.forced import page as forced
from pages.translation.alignment.hypothesis import page as hypothesis
from pages.translation.alignment.ribbons import page as ribbons
from tlmviz.ui import frame, link, translation

SUBPAGES = {
    words.RIBBONS: ribbons,
    words.TRANSLATION: hypothesis,
    words.BY_HAND: by_hand,
    words.MODELS: coverage_models,
    words.FORCE: forced,
}


@frame.fragment
def show(model: str) -> None:
    """The sentence, what to look at, and the chosen part of the page."""
    text = translation.sentence_box(translation.model(model))
    SUBPAGES[controls.view_menu()].show(model, text)
    link.share()


frame.heading("Alignment & coverage", words.CLAIM, examples.examples)
show(st.session_state["mt"])

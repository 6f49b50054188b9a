"""Start: a sentence read by a model, the chapters as pictures, and the tours."""

import streamlit as st

from pages import HOME
from pages.start.start import compute, view, words
from tlmviz.ui import below, frame, inputs
from tlmviz.ui import compute as shared
from tlmviz.ui.tours import cards

_TEXT = "_start_text"


@frame.fragment
def look() -> None:
    """The sentence and what looks at what in it."""
    text = inputs.text_box(shared.model(compute.MODEL))
    st.session_state[_TEXT] = text
    if text is not None:
        view.look(text)


def chapters() -> None:
    """The map of chapters on the sentence, and the tours."""
    if text := st.session_state.get(_TEXT):
        st.markdown("## Chapters")
        view.chapters(text)


frame.heading("Start", words.CLAIM, lambda: None)
look()
below.when_painted("chapters", chapters)
st.markdown("## Tours")
cards.tours(HOME.rpartition("/")[2])
frame.what_to_notice(*words.NOTICE)

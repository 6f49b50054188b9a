"""Attention explorer: every head of a trained model on the user's text, live."""

import streamlit as st

from pages.attention.explorer import controls, view, view_panels, words
from tlmviz.ui import below, frame, link
from tlmviz.ui import compute as shared


@frame.fragment
def explore(model: str) -> None:
    """Text, overview, detail and predictions; everything below follows from them."""
    choice = controls.choose(model)
    controls.keep(choice)
    if choice is None:
        return
    picture, beside = st.columns([0.77, 0.23], gap="small")
    with picture:
        view.attention(choice)
    with beside:
        view.next_tokens(choice)
    link.share()


def look_closer() -> None:
    """The chosen panel, the measured identities, and the code, of what the picture shows."""
    choice = controls.kept()
    if choice is None:
        return
    view_panels.PANELS[controls.choose_panel(list(view_panels.PANELS))](choice)
    frame.badges(shared.checks(choice.model, choice.text, quick=True))
    frame.copy_as_python(words.snippet(choice))


frame.heading("Attention explorer", words.CLAIM)
explore(st.session_state["model"])
below.when_painted("closer", look_closer)
frame.what_to_notice(*words.NOTICE)
frame.equation(*words.EQUATION)

"""Attention explorer: every head of a trained model on the user's text, live."""

import streamlit as st

from pages.attention.explorer import controls, view, view_panels, words
from pages.attention.explorer.controls import Choice
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, link


@frame.fragment
def explore(model: str) -> None:
    """Text, overview, detail and predictions; everything below follows from them."""
    choice = controls.choose(model)
    if choice is None:
        return
    picture, beside = st.columns([0.77, 0.23], gap="small")
    # Every place is in the page before it waits: an event meanwhile must find the page whole.
    closer = st.container()
    with picture:
        view.attention(choice)
    frame.let_the_picture_paint()
    with beside:
        view.next_tokens(choice)
    with closer:
        look_closer(choice)
    link.share()


def look_closer(choice: Choice) -> None:
    """The chosen panel, the measured identities, and the code."""
    view_panels.PANELS[controls.choose_panel(list(view_panels.PANELS))](choice)
    frame.badges(shared.checks(choice.model, choice.text, quick=True))
    frame.copy_as_python(words.snippet(choice))


frame.heading("Attention explorer", words.CLAIM)
live, below = st.container(), st.container()
with live:
    explore(st.session_state["model"])
with below:  # outside the fragment: typing does not send it again
    frame.what_to_notice(*words.NOTICE)
    frame.equation(*words.EQUATION)

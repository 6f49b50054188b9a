"""Attention explorer: every head of a trained model on the user's text, live."""

import streamlit as st

from pages.attention.explorer import controls, examples, guess, view, view_other, view_panels, words, writing
from tlmviz.ui import below, frame, link
from tlmviz.ui import compute as shared


@frame.fragment
def explore(model: str) -> None:
    """Text, overview, detail and predictions; everything below follows from them."""
    choice = controls.choose(model)
    controls.keep(choice)
    if choice is None:
        return
    if choice.trace.crosses:
        controls.keep(None)  # what stands below is of one text
        view_other.cross(choice)
        link.share()
        return
    if choice.trace.patches is not None:
        view_other.over_patches(choice, choice.trace.patches)
    if not guess.seen(choice):
        controls.keep(None)
        return
    picture, beside = st.columns([0.77, 0.23], gap="small")
    with picture:
        view.attention(choice)
    with beside:
        view.next_tokens(choice)
    view.branches(choice)
    if not link.just_released():
        link.share()
    writing.KEPT.share()
    writing.WORD.share()


def look_closer() -> None:
    """The chosen panel, the measured identities, and the code, of what the picture shows."""
    choice = controls.kept()
    if choice is None:
        return
    view_panels.PANELS[controls.choose_panel(list(view_panels.PANELS))](choice)
    frame.measured(lambda: shared.checks(choice.model, choice.text, quick=True))
    frame.copy_as_python(words.snippet(choice))
    link.share()


frame.heading("Attention explorer", words.CLAIM, examples.examples)
explore(st.session_state["model"])
below.when_painted("closer", look_closer)
frame.what_to_notice(*words.NOTICE)
frame.equation(*words.EQUATION)

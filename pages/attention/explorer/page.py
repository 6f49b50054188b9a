"""Attention explorer: every head of a trained model on the user's text, live."""

import streamlit as st

from pages import IN
from pages.attention.explorer import claims, guess, view, view_other, view_panels, writing
from pages.attention.explorer.data import Data
from pages.attention.explorer.examples import examples
from pages.attention.explorer.state import Explorer
from tlmviz.ui import compute, deferred, frame


@frame.fragment
def explore(model: str) -> None:
    """Text, overview, detail and predictions; everything below follows from them."""
    chosen, before = view.controls(model), writing.kept()
    writing.keep(None)
    if chosen is None:
        if before:  # what stands below is of the text before
            st.rerun()
        return
    shown = Data(chosen)
    if shown.trace.crosses:  # what stands below is of one text
        view_other.cross(shown)
        return
    if shown.trace.patches is not None:
        view_other.over_patches(shown, shown.trace.patches)
    if not guess.seen(shown):
        return
    writing.keep(shown)
    frame.claim(claims.CLAIMS, shown)
    picture, beside = st.columns([0.77, 0.23], gap="small")
    with picture:
        view.attention(shown)
    with beside:
        view.next_tokens(shown)
    view.branches(shown)


def look_closer() -> None:
    """The chosen panel, the measured identities, what there is to notice, and the code, of what the picture shows."""
    if (shown := writing.kept()) is None:
        return
    frame.next_step(claims.HINTS, shown)
    panel = Explorer.panel.draw()
    Explorer.panel.put()
    view_panels.PANELS[panel](shown)
    frame.measured(lambda: compute.checks(shown.chosen.model, shown.chosen.text, quick=True))
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    frame.copy_as_python(view.snippet(shown))


frame.heading(IN["attention/explorer"], examples, Explorer)
explore(st.session_state["model"])
deferred.when_painted("closer", look_closer)
frame.equation(*view.EQUATION)

"""Projector: all vectors of a model in a plane, their training as a film, and analogies."""

import streamlit as st

from pages import IN
from pages.words.projector import claims, data, view
from pages.words.projector.examples import examples
from pages.words.projector.state import ANALOGIES, Projector
from tlmviz.ui import below, frame


@frame.fragment
def show() -> None:
    """The chosen view, and what to notice in it."""
    with frame.picture_first():
        chosen = view.controls()
        shown, apart = data.compute(chosen), chosen.view == ANALOGIES
        if shown.no_film:
            st.info(view.no_film(shown))
            return
        with st.spinner(view.waiting(chosen), show_time=True):
            frame.claim(claims.CLAIMS[chosen.view], shown)
            (view.analogy if apart else view.picture)(shown)
    frame.next_step(claims.HINTS[chosen.view], shown)
    below.after(not apart, "beneath-projector", lambda: beneath(shown))


def beneath(shown: data.Data) -> None:
    """Further claims, how often analogies fail, identities, equation and code."""
    apart = shown.chosen.view == ANALOGIES
    frame.claims(
        claims.CLAIMS[shown.chosen.view], shown, more=claims.notice(shown), maths=() if apart else claims.MATHS
    )
    if apart:
        view.counted(shown)
    frame.badges(shown.checks)
    frame.equation(*(view.EQUATION_ANALOGY if apart else view.EQUATION_MAP))
    frame.copy_as_python(view.snippet(shown))


frame.heading(IN["words/projector"], examples, Projector)
show()

"""Pointers: attention whose answer is a place: a corner among points, or an earlier word of a text."""

from contextlib import suppress

import streamlit as st

from pages import IN
from pages.words.pointers import claims, data, view
from pages.words.pointers.examples import examples
from pages.words.pointers.state import Choice
from tlmviz.errors import BadText
from tlmviz.ui import below, frame


@frame.fragment
def show() -> None:
    """The controls and the chosen part."""
    with frame.picture_first():
        chosen = view.controls()
        try:
            shown = data.compute(chosen)
        except BadText as error:
            (st.warning if chosen.text else st.info)(frame.worded(error))
            return
        every = claims.HULL_CLAIMS if isinstance(shown, data.Hull) else claims.SENTINEL_CLAIMS
        frame.claim(every, shown)
        if isinstance(shown, data.Hull):
            view.points(shown)
            notice, maths = claims.hull_notice(), claims.hull_maths()
        else:
            view.words(shown)
            notice, maths = claims.sentinel_notice(), claims.sentinel_maths()
    frame.next_step(claims.HINTS[chosen.part], shown)
    frame.claims(every, shown, more=notice, maths=maths)


def beneath() -> None:
    """The chart of the part, its identities and its equation; beside the picture, which does not wait for them."""
    with suppress(BadText):  # said above
        shown = data.compute(Choice.of_session())
        is_hull = isinstance(shown, data.Hull)
        (view.reach if is_hull else view.losses)(shown)
        frame.measured(lambda: shown.checks)
        frame.equation(*(view.HULL_EQUATION if is_hull else view.SENTINEL_EQUATION))
        frame.copy_as_python((view.points_snippet if is_hull else view.words_snippet)(shown))


frame.heading(IN["words/pointers"], examples, Choice)
show()
below.when_painted("beneath-pointers", beneath)

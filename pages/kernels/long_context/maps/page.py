"""The part Maps: loss along the text, all heads, one head, an exact tile, and where each head's mass lies."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import deferred, frame

from .. import guess
from ..data import Text, checks, read
from ..view import reading
from . import claims, view
from .data import Data


def show(found: Text) -> None:
    """The pictures from the whole text down to a tile, the statistics of all heads, and the words."""
    passage = found.passage
    with st.spinner(reading(len(passage.ids)), show_time=True):
        loss = read(passage)[1]
    if not guess.seen(found, loss):
        return
    place, pictures, caption, toggle = st.container(), st.container(), st.empty(), st.container()
    shown = view.pictures(found, passage, pictures, toggle)
    with place:
        frame.claim(claims.CLAIMS, shown)
    caption.caption(claims.caption(shown))
    frame.next_step(claims.HINTS, shown)
    deferred.when_painted("beneath-long", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    view.loss_along(shown)
    view.statistics(shown)
    beyond = shown.length > shown.passage.context
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE if beyond else (), maths=claims.MATHS if beyond else ())
    frame.measured(lambda: checks(shown.passage))
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

"""The part Text: a long text to read beside a head's map, every word coloured by what a pinned one reads, or by its
loss."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import deferred, frame

from ..data import Text, checks, far_heads, read
from ..maps.view import EQUATION
from ..view import reading
from . import claims, view
from .data import Data


def show(found: Text) -> None:
    """The text beside the map, and what is below."""
    passage = found.passage
    with st.spinner(reading(len(passage.ids)), show_time=True):
        read(passage), far_heads(passage)
    with frame.picture_first():
        shown = view.compute(found)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    deferred.when_painted("beneath-reading", lambda: _beneath(shown))


def _beneath(shown: Data) -> None:
    frame.badges(checks(shown.passage))
    frame.equation(*EQUATION)
    frame.copy_as_python(view.snippet(shown))

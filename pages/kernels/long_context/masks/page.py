"""The part Masks: sparse and linear attention in place of the softmax, what each costs, covers, loses and still
finds."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import deferred, frame

from ..data import Text, checks, read
from ..view import reading
from . import claims, view
from .data import Data
from .state import Sparse


def show(found: Text) -> None:
    """The table of all methods, one method's pattern, the needle test, and the words."""
    with st.spinner(reading(len(found.passage.ids)), show_time=True):
        read(found.passage)
    shown = view.controls(found)
    view.measure(shown)
    frame.claim(claims.CLAIMS, shown)
    shown = view.pattern_and_mass(shown)
    deferred.when_painted("beneath-masks", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    frame.next_step(claims.HINTS, Data(shown.found, Sparse.of_session(), shown.passage))  # the switch is here
    view.numbers(shown)
    st.caption(claims.caption(shown))
    view.needles(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    frame.measured(lambda: checks(shown.passage))
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

"""The part Calculator: bytes of any published or bundled shape at any batch, length and format."""

from __future__ import annotations

import streamlit as st

from tlmviz.errors import Error
from tlmviz.ui import below, frame, menu

from . import claims, view
from .data import Data


def show() -> None:
    """The controls, the numbers, and every shape; what cannot be served is one sentence."""
    menu.unread("text")
    shown = view.controls()
    try:
        shown.whole, shown.fits  # noqa: B018 (they raise for what cannot be)
    except Error as error:
        st.warning(frame.worded(error))
        view.table(shown)
        return
    frame.claim(claims.CLAIMS, shown)
    view.numbers(shown)
    view.pictures(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-calculator", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    st.caption(claims.about(shown.shape))
    if shown.shape in shown.own:
        frame.badges([shown.check])
    view.table(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

"""The part Force attention: steps pinned to source tokens, and what is written from there."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import below, frame
from tlmviz.ui.language import _

from .. import view as shared
from . import claims, view
from .data import Data


def show(model: str, text: str) -> None:
    """The chosen hypothesis as it was, and decoded on with the pins."""
    shown = view.controls(*shared.ruled(model, text))
    with st.spinner(_("Decoding on …"), show_time=True):
        frame.claim(claims.CLAIMS, shown)
    view.before_and_after(shown)
    view.next_tokens(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-forced", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    frame.equation(*shared.PINNED)
    frame.copy_as_python(view.snippet(shown))

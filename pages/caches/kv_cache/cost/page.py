"""The part Cost: time, measured, and operations, by formula, with the cache and without."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import below, frame
from tlmviz.ui.language import _

from .. import data as steps
from . import claims, view
from .data import Data


def show(base: steps.Data) -> None:
    """Both pictures, the table, and what follows."""
    shown = Data(base)
    with st.spinner(_("Measuring each token with the cache and without …"), show_time=True):
        frame.claim(claims.CLAIMS, shown)
    view.pictures(shown)
    frame.next_step(claims.HINTS, base)
    below.when_painted("beneath-cost", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    view.table(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice())
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

"""The part Models: real caches of several models at one length."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import below, frame
from tlmviz.ui.language import _

from .. import data as steps
from . import claims, view
from .data import Data


def show(base: steps.Data) -> None:
    """Bytes per token, and bytes against the length, measured and by formula."""
    shown = view.controls(base.chosen.text)
    for name, error in shown.left_out.items():
        st.warning(_("{model} is left out: {why}", model=name, why=frame.worded(error)))
    if not shown.sizes:
        st.info(_("No model is chosen; choose at least one."))
        return
    frame.claim(claims.CLAIMS, shown)
    view.pictures(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-models", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    view.table(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice())
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

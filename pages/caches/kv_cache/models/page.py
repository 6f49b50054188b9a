"""The part Models: real caches of several models at one length."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import below, frame
from tlmviz.ui.language import _

from .. import data as steps
from . import claims, view
from .data import Data
from .state import LENGTHS


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
    frame.next_step(
        not any(shape.window for shape in shown.shapes.values())
        and _("Add a model with a window, and raise the length: its line stays level."),
        shown.length < LENGTHS[-1] and _("Raise the length: the line of a model with a window stays level."),
        _("Choose other models to compare."),
    )
    below.when_painted("beneath-models", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    view.table(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice())
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

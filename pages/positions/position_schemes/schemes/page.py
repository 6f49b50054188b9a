"""The part Six schemes: models that differ in their positions alone, side by side on the same text."""

import streamlit as st

from tlmviz.ui import deferred, frame

from . import claims, view
from .data import Data


@frame.fragment
def show() -> None:
    """View, head and text; the picture of every scheme, numbers, and what trained heads do."""
    shown = Data(view.controls())
    frame.claim(claims.CLAIMS, shown)
    view.picture(shown)
    deferred.when_painted("beneath-schemes", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    st.caption(claims.about(shown))
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE[shown.chosen.view])
    view.table(shown)
    view.heads(shown)
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

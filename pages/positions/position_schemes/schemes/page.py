"""The part Six schemes: models that differ in their positions alone, side by side on the same text."""

import streamlit as st

from tlmviz.ui import below, frame
from tlmviz.ui.language import _

from . import claims, data, view
from .state import ADDED


@frame.fragment
def show() -> None:
    """View, head and text; the picture of every scheme, numbers, and what trained heads do."""
    shown = data.compute(view.controls())
    frame.claim(claims.CLAIMS, shown)
    view.picture(shown)
    below.when_painted("beneath-schemes", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    st.caption(claims.about(shown))
    frame.next_step(
        shown.chosen.view != ADDED
        and _("Choose *What is added* to see how each tells a position; then paste a text of your own."),
        _("Choose *Extrapolation* to see how far each reads; then paste a text of your own."),
    )
    frame.claims(claims.CLAIMS, shown, more=claims.notice(shown))
    view.table(shown)
    view.heads(shown)
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

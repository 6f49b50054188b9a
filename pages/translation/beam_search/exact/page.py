"""The part Exact search: the model's own best text beside the beam's, and how many candidates each way looks at."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.ui import below, frame
from tlmviz.ui.language import _

from .. import data as tree
from . import claims, view
from .data import Data
from .state import Horizon


def show(base: tree.Data, place: DeltaGenerator) -> None:
    """Search error and model error of one sentence, and N^T beside W N T; `place` has the controls, above all of it."""
    with place:
        Horizon.tokens.draw(st.columns([0.48, 0.52])[0])
        shown = Data(base, Horizon.of_session().tokens)
        if shown.left_out:
            st.caption(_("Forced, banned and other rules are left out here: every way searches the same texts."))
        with st.spinner(_("Searching …"), show_time=True):
            frame.claim(claims.CLAIMS, shown)
        left, right = st.columns(2)
        with left:
            view.counts(shown)
        with right:
            view.widths(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-exact", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    view.table(shown)
    if shown.exact.tokens:
        frame.badges([shown.check])
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

"""The part Redundancy: which heads are alike, which can be muted, and what sharing keys and values costs."""

from __future__ import annotations

import streamlit as st

from tlmviz.errors import UnknownName
from tlmviz.ui import deferred, frame
from tlmviz.ui.language import _
from tlmviz.ui.part import Own

from ..data import Reading
from . import claims, view
from .data import Data
from .state import Ablation


def show(model: str, text: str) -> None:
    """Similarity beside ablation, then sharing."""
    if len(Reading(model, text).trace) < 2:
        st.info(_("This text has one token, which predicts nothing; type at least one more."))
        return
    shown, place = Data(view.controls(model, text)), st.container()
    left, right = st.columns([0.42, 0.58])
    with left:
        view.similarity(shown)
    with right:
        if not view.accepted(shown):
            return
        count = shown.reading.config.n_layers * shown.reading.config.n_heads
        with st.spinner(
            _("{model} reads with each of {count} heads muted …", model=model, count=count), show_time=True
        ):
            view.ablation(shown)
    with place:
        frame.claim(claims.CLAIMS, shown)
    frame.next_step(claims.HINTS, shown)
    deferred.when_painted("beneath-redundancy", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    st.caption(claims.source(shown))
    with st.spinner(_("{model} reads with key/value heads merged …", model=shown.reading.model), show_time=True):
        shared = shown.shared
    if isinstance(shared, UnknownName):
        st.info(frame.worded(shared))
    else:
        view.sharing(shown, shared)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    frame.measured(lambda: shown.replayed)
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))


PART = Own((Ablation,), show)

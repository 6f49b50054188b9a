"""The part Matrix by hand: the two extreme matrices of the notes, and any other."""

from __future__ import annotations

import streamlit as st

from tlmviz.errors import BadShape
from tlmviz.ui import address, deferred, frame
from tlmviz.ui.language import _
from tlmviz.ui.part import Own

from .. import view as shared
from ..data import Covered
from ..state import Alignment
from . import claims, view
from .data import compute
from .state import Hand


def draw(model: str, text: str) -> None:
    """Map, coverage and steps of a matrix from a preset, a table or a text."""
    address.pictures_read(english="", text="", mt="")
    with frame.picture_first():
        buttons, said = st.container(), st.container()
        table, *places = st.columns([0.24, 0.38, 0.38], gap="small")
        try:
            shown = compute(*view.controls(model, text, buttons, table))
        except BadShape as error:  # the matrix is still being written
            st.warning(frame.worded(error))
            return
        with said:
            frame.claim(claims.CLAIMS, shown)
        shared.pictures(shown, _("Attention by hand"), places)
    frame.next_step(claims.HINTS, shown)
    deferred.when_painted("beneath-hand", lambda: _beneath(shown), seen=False)


def _beneath(shown: Covered) -> None:
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    frame.equation(*shared.PENALTY)
    frame.equation(*shared.OVERLAP)
    frame.copy_as_python(view.snippet(shown))


PART = Own((Alignment, Hand), draw)

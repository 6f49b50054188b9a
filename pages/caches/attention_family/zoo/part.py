"""The part Model zoo: one small model per choice of positions, attention and norm, all else equal, with the noise of
seeds."""

from __future__ import annotations

import streamlit as st

from tlmviz.errors import Error
from tlmviz.ui import address, frame
from tlmviz.ui.part import Own

from . import claims, data, view
from .state import Zoo


def show(model: str) -> None:
    """Charts and table, then the card of one model: what is missing for one does not keep the other back."""
    frame.saying_errors(_table)()
    frame.saying_errors(view.card)(model)


def _table() -> None:
    try:
        shown = data.compute()
    except Error as error:  # nothing is broken: there is nothing to compare
        st.info(frame.worded(error))
        return
    address.pictures_read(model="", text="")
    frame.claim(claims.CLAIMS, shown)
    view.quality(shown)
    frame.next_step(claims.HINTS, shown)
    view.costs(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    view.numbers(shown)
    frame.copy_as_python(view.SNIPPET)


PART = Own((Zoo,), show)

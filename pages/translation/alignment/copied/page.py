"""The part Write or copy: a model with a pointer beside its twin without, on a sentence with a name that nobody saw."""

from __future__ import annotations

import streamlit as st

from tlmviz.errors import BadText
from tlmviz.ui import address, below, frame

from ..state import Alignment
from . import claims, data, view


def show(model: str, text: str | None) -> None:
    """A name in a sentence, through both models. The page's model is not used."""
    Alignment.of_session(model=model, text=text or "")
    models = data.models()
    if models is None:
        st.info(claims.missing())
        return
    shown = data.Data(view.controls(text), *models)
    address.pictures_read(english=shown.chosen.text, mt=shown.model)
    try:
        frame.claim(claims.CLAIMS, shown)
    except BadText as error:  # the name is still being typed
        st.warning(frame.worded(error))
        return
    view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-copied", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    frame.badges(shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

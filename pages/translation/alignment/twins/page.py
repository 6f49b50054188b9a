"""The part With and without coverage: a model with a coverage vector beside one without."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import address, below, frame

from ..state import Alignment
from . import claims, data, view


def show(model: str, text: str | None) -> None:
    """One sentence through both models, then sentences that invite repetition. The page's model is not used."""
    Alignment.of_session(model=model, text=text or "")
    covering, without = data.models()
    if not (covering and without):
        st.info(claims.missing("without" if covering else "with"))
        return
    shown = data.Data(view.controls(covering, without, text))
    address.pictures_read(english=shown.chosen.sentence, mt=" · ".join(shown.chosen.models))
    frame.claim(claims.CLAIMS, shown)
    view.maps(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-twins", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    view.repetitions(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE, maths=claims.MATHS)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))

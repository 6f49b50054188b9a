"""The part Three scores: dot, general and additive on one sentence, the context as a mixture, and SDPA as the general
case."""

from __future__ import annotations

import streamlit as st

from tlmviz.errors import BadText
from tlmviz.ui import deferred, frame
from tlmviz.ui.language import _
from tlmviz.ui.part import Own

from ..state import Alignment
from . import claims, data, view
from .state import Scores


def draw(model: str, text: str) -> None:
    """The sentence, every model's map, one step in detail, the table, and the same by SDPA."""
    models = data.recurrent()
    if not models:
        st.info(
            _(
                "There is no recurrent translation model here yet, and this page compares their scores. "
                "`python -m tlmviz.training eng-fra-general --data DIR` trains one."
            )
        )
        return
    with frame.picture_first():
        try:
            shown = view.controls(models, model, text)
        except BadText as error:  # the translation is still being written
            st.warning(frame.worded(error))
            return
        frame.claim(claims.CLAIMS, shown)
        view.maps(shown)
    frame.next_step(claims.HINTS, shown)
    deferred.when_painted("beneath-scores", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    view.step(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    view.entropies(shown)
    with st.spinner(_("Measuring …")):
        view.table(shown)
    view.special_case(shown)
    frame.badges(shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))


PART = Own((Alignment, Scores), draw)

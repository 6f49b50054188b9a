"""Doctor: two runs of one text, where they part, and the cause by name with its number."""

import streamlit as st

from pages import IN
from pages.workbench.doctor import claims, data, view
from pages.workbench.doctor.examples import examples
from pages.workbench.doctor.state import Doctor, Sizes
from tlmviz.ui import below, frame, onward
from tlmviz.ui.language import _


@frame.fragment
def show(model: str) -> None:
    """The runs, what is found, what it is seen by, and the words."""
    with frame.picture_first():
        chosen = view.controls(model)
        if chosen is None:
            return
        with st.spinner(_("Both runs are examined, step by step …"), show_time=True):
            shown = data.compute(chosen)
        if said := claims.cut(shown):
            st.warning(said)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-doctor", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    onward.links(view.onward(shown))
    frame.claims(claims.CLAIMS, shown, more=claims.notice(shown), maths=claims.MATHS)
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))


frame.heading(IN["workbench/doctor"], examples, Doctor, Sizes)
show(st.session_state["model"])

"""Serving: several prompts in one memory of pages, scheduled step by step."""

import streamlit as st

from pages import IN
from pages.caches.serving import claims, data, view
from pages.caches.serving.examples import examples
from pages.caches.serving.state import Serving
from tlmviz.ui import below, frame
from tlmviz.ui.language import _

_STYLE = """<style>
.st-key-vreq textarea { font-size: 0.8rem; line-height: 1.2; padding: 0.3rem 0.6rem; white-space: pre; }
</style>"""


@frame.fragment
def show(model: str) -> None:
    """The controls, the server's steps, and their numbers."""
    with frame.picture_first():
        shown = data.compute(chosen := view.controls(model))
        if said := claims.left_out(shown):
            st.warning("  \n".join(said))
        if not shown.requests:
            st.info(_("There is no request to serve; write at least one that fits, a line each."))
            return
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, chosen)
    below.when_painted("beneath-serving", lambda: _beneath(shown))


def _beneath(shown: data.Data) -> None:
    view.side_by_side(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.notice())
    frame.measured(lambda: shown.checks)
    view.answers(shown)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))


st.html(_STYLE)
frame.heading(IN["caches/serving"], examples, Serving)
show(st.session_state["model"])

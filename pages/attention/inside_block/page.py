"""Inside a block: every step of one layer on the user's text or sentence pair, with the line of code that did it."""

from typing import Any

import streamlit as st

from pages import IN
from pages.attention.inside_block import claims, data, view
from pages.attention.inside_block.examples import examples
from pages.attention.inside_block.state import Choice
from tlmviz.ui import deferred, frame


@frame.fragment
def steps(given: dict[str, Any]) -> None:
    """The steps, and beside them the chosen one: what it does, its tensors, product, code and equation."""
    shown = data.Data(Choice.of_session(**given))
    frame.claim(claims.CLAIMS, shown)
    with frame.picture_first():
        left, right = st.columns([0.56, 0.44], gap="medium")
        with left:
            view.rows(shown)
        with right, st.container(key="of-text"):
            view.step_menu(shown)
            view.tensor(shown)
    frame.next_step(claims.HINTS, shown)
    deferred.when_painted("beneath-block", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    view.other_tensors(shown)
    if shown.step.product is not None:
        view.cell(shown)
    view.code(shown)
    notice, maths = (claims.NOTICE_PAIR, ()) if shown.stack else (claims.NOTICE, claims.MATHS)
    frame.claims(claims.CLAIMS, shown, more=notice, maths=maths)
    frame.measured(lambda: shown.checks)
    frame.copy_as_python(view.snippet(shown))


@frame.saying_errors
def show(model: str) -> None:
    """The whole page for one model. The text box is outside the fragments: both follow it."""
    given = view.controls(model)
    if given is None:
        return
    shown = data.Data(Choice.of_session(**given))
    steps(given)
    if given["pair"] is None:
        deferred.when_painted("beneath-stream", lambda: view.stream(shown))


frame.heading(IN["attention/inside_block"], examples, Choice)
show(st.session_state["model"])

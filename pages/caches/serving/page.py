"""Serving: several prompts in one memory of pages, scheduled step by step."""

import streamlit as st

from pages.caches.serving import compute, controls, examples, view, words
from tlmviz.ui import frame

_STYLE = """<style>
.st-key-vreq textarea { font-size: 0.8rem; line-height: 1.2; padding: 0.3rem 0.6rem; white-space: pre; }
</style>"""


@frame.fragment
def show(model: str) -> None:
    """The controls, the server's steps, and their numbers."""
    with frame.picture_first():
        choice = controls.choose(model)
        if choice is None:
            return
        runs = compute.runs(choice)
        view.picture(choice, runs)
    view.side_by_side(choice, runs)
    frame.measured(lambda: compute.checks(choice))
    view.answers(choice, runs[choice.policy])
    frame.what_to_notice(*words.NOTICE)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))


st.html(_STYLE)
frame.heading("Serving", words.CLAIM, examples.examples)
show(st.session_state["model"])

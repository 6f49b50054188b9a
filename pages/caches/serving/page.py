"""Serving: several prompts in one memory of pages, scheduled step by step."""

import streamlit as st

from pages.caches.serving import compute as serving_state
from pages.caches.serving import view as serving_parts
from pages.caches.serving import words as serving_words
from tlmviz.ui import compute, frame
from tlmviz.ui import link as state

# The picture of a step needs about 900 px: a phone scrolls it sideways.
_WIDE = """<style>
.st-key-wide { overflow-x: auto; } .st-key-wide > div { min-width: 900px; }
.st-key-vreq textarea { font-size: 0.8rem; line-height: 1.2; padding: 0.3rem 0.6rem; white-space: pre; }
@media (max-width: 640px) { .st-key-server-controls [data-testid="stColumn"] { min-width: calc(50% - 1rem); } }
</style>"""


@frame.fragment
def show(name: str) -> None:
    """The requests, the server, and what it does."""
    lm = compute.model(name)
    left, right = st.columns([0.3, 0.7])
    prompts = left.text_area(
        "Requests, one a line",
        serving_state.REQUESTS,
        height=124,
        key="vreq",
        bind="query-params",
        help="A line that begins with … goes on from the text at the right. Press Ctrl+Enter, or click outside the box.",
    )
    with right:
        text = state.text_box(lm)
        with st.container(key="server-controls"):
            places = st.columns([0.2, 0.2, 0.13, 0.13, 0.12, 0.22], vertical_alignment="bottom")
    state.share()
    asked = serving_state.controls(lm, text or "", prompts or "", places)
    if asked is None:
        return
    with st.spinner(f"{name} serves {len(asked.requests)} requests …", show_time=True):
        runs = serving_state.runs(name, asked)
    serving_parts.picture(name, asked, runs)
    frame.badges(serving_state.checks(name, asked.requests, asked.server))
    serving_parts.side_by_side(name, asked, runs)
    serving_parts.answers(asked, runs[asked.shown])
    frame.notice(*serving_words.POINTS)
    frame.equation(*serving_words.EQUATION)
    frame.copy_as_python(serving_words.snippet(name, asked))


st.html(_WIDE)
frame.heading("Serving", "Many requests share one memory of pages, and join and leave the batch at any step.")
show(st.session_state["model"])

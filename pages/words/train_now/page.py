"""Train it now: skip-gram with negative sampling on the user's own text, watched while it learns."""

from functools import partial

import streamlit as st

from pages.words.train_now import compute, controls, examples, view, words
from pages.words.train_now.controls import Choice
from tlmviz.training.live import Live
from tlmviz.ui import frame

LOOK = 0.6  # seconds between two looks at a training


@frame.fragment
def show() -> None:
    """The text, the buttons, and the training."""
    choice = controls.choose()
    live = compute.training(choice)
    start, stop, near = st.columns([0.22, 0.12, 0.66], vertical_alignment="center")
    start.button("Train for 20 seconds", on_click=begin, args=(choice,), type="primary", key="trainbegin")
    stop.button("Stop", on_click=live.stop, disabled=not live.running or not live.begun, key="trainstop")
    typed = near.text_input(
        "Neighbours of", "red", key="wlnear", bind="query-params", live="150ms", label_visibility="collapsed"
    )
    if live.begun and live.running:
        watch(live, typed or "")
    else:
        view.picture(live, typed or "")
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    if not live.running:
        frame.badges(compute.checks(live))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, live))


@partial(frame.fragment, every=LOOK)
def watch(live: Live, typed: str) -> None:
    """The picture, looked at again while the training goes on; the page runs again when it has ended."""
    if not live.running:
        st.rerun()
    view.picture(live, typed)


def begin(choice: Choice) -> None:
    """Callback of the button: train on a choice from the start."""
    compute.begin(choice)


frame.heading("Train it now", words.CLAIM, examples.examples)
show()

"""Draws the page Attention explorer: the attention view and the predictions beside it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tlmviz import figures
from tlmviz.ui import below, frame, inputs, link
from tlmviz.ui import compute as shared_compute
from tlmviz.ui.components.attention_view import attention_view, build_payload
from tlmviz.ui.components.next_tokens import next_tokens as draw_bars

from . import predictions, words, writing
from .controls import VIEW, Choice, choose_drawing

HEIGHT = 600  # pixels of the attention view
BESIDE = 540  # pixels of the bars beside it


def attention(choice: Choice) -> None:
    """All heads at once and one in detail; what the user chooses in it becomes the session's view."""
    state = {**choice.view.sent(), "seq": link.sent_by(VIEW).get("seq", 0)}
    payload = build_payload(
        choice.trace,
        state,
        model=choice.model,
        origin=f"{choice.model}:{inputs.examples_picked()}",
        palette=figures.palette(),
        overview=shared_compute.overview(choice.model, choice.text),
        picture=below.next_picture(),
        mutable=choice.lm.task == "language",
        written=predictions.written(choice),
    )
    attention_view(payload, key=VIEW, height=HEIGHT, on_change=partial(link.remember_sent, VIEW))


@frame.saying_errors
def next_tokens(choice: Choice) -> None:
    """The most probable tokens after the pinned one, what sampling cuts off them, and what writes them."""
    drawing = choose_drawing()
    bars = predictions.bars(choice, drawing)
    draw_bars(
        bars, text=choice.text, key=writing.BARS, height=BESIDE, on_asked=partial(writing.followed, choice)
    )


def branches(choice: Choice) -> None:
    """The text that was kept and the one that is shown, and what the model says of what tells them apart."""
    kept = writing.KEPT.get()
    if not kept or kept == choice.text or choice.lm.task != "language":
        return
    shared, (here, there) = writing.branches(choice.trace, shared_compute.trace(choice.model, kept))
    with st.container(border=True):
        text, swap, drop = st.columns([0.76, 0.14, 0.1], vertical_alignment="center")
        text.markdown(words.branches(shared, here, there))
        swap.button(words.GO_ON_FROM_KEPT, key="swap-branch", on_click=writing.swap, width="stretch")
        drop.button("Drop it", key="drop-branch", on_click=writing.drop, width="stretch")

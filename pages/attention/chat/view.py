"""Draws the page Chat: the conversation, shares of every head, the conversation's own attention view, shares by layer."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tlmviz import figures
from tlmviz.analysis.attention.roles import PARTIES
from tlmviz.figures.attention import roles as role_figures
from tlmviz.ui import below, frame, link
from tlmviz.ui.components.attention_view import attention_view, build_payload, encode_overview

from . import compute, controls, words
from .controls import Choice

HEIGHT = 470  # pixels of the attention view: the lines of the opening conversation
TALL = 330  # pixels of what is said


def conversation(model: str) -> None:
    """The system prompt, what was said, and where to go on."""
    st.session_state["_system"] = controls.system()
    st.text_input("System prompt", key="_system", on_change=controls.set_system, placeholder="none")
    with st.container(height=TALL, key="said"):
        for role, content in controls.turns():
            if role != "system":
                with st.chat_message(role):
                    st.text(content)
    said = st.chat_input(words.SAY_PLACEHOLDER, max_chars=1500)
    with st.container(horizontal=True):  # beside one another on a phone too
        asked = st.button(
            "Answer",
            width="stretch",
            disabled=controls.turns()[-1][0] != "user",
            help=words.ANSWER_HELP,
        )
        st.button("Undo", on_click=controls.undo, width="stretch", help=words.UNDO_HELP)
        st.button("Start over", on_click=controls.start_over, width="stretch")
    if said:
        controls.say("user", said)
    if said or asked:
        with st.spinner(f"{model} answers …", show_time=True):
            reply = compute.reply(model, controls.turns(), seed=len(controls.turns()))
        controls.say("assistant", reply or "…")
        st.rerun()


def heads(choice: Choice, shares: dict) -> None:
    """Every head's share of the chosen role; a click opens the head."""
    figure = role_figures.role_heads(shares[choice.role], choice.role, choice.view.head, frame.theme(), 400)
    frame.chart(
        figure,
        key="role-heads",
        alt=words.role_heads_alt(choice.role),
        select="points",
        on_select=controls.head_clicked,
    )
    st.caption(words.one_head(choice, shares))


def attention(choice: Choice) -> None:
    """The chosen head on the conversation, its tokens coloured by role."""
    trace, roles = choice.trace, choice.conversation.roles
    state = {**choice.view.sent(), "seq": link.sent_by(controls.VIEW).get("seq", 0)}
    if link.untouched("mode") and not link.sent_by(controls.VIEW):
        state["mode"] = "arcs"  # a conversation reads best as text
    shown = PARTIES[:-1]
    payload = build_payload(
        trace,
        state,
        model=choice.model,
        origin=f"{choice.model}:chat",
        palette=figures.palette(),
        overview=encode_overview(trace),
        picture=below.next_picture(),
        groups={
            "names": list(shown),
            "colors": [role_figures.ROLE_COLORS[role] for role in shown],
            "of": [shown.index(role) for role in roles],
        },
    )
    attention_view(
        payload, key=controls.VIEW, height=HEIGHT, on_change=partial(link.remember_sent, controls.VIEW)
    )


def layers(choice: Choice, shares: dict) -> None:
    """Where each layer's attention goes, by role."""
    means = {role: share.mean(1) for role, share in shares.items()}
    frame.chart(
        role_figures.role_layers(means, frame.theme()),
        key="role-layers",
        alt=words.role_layers_alt(choice.source),
    )

"""Draws the page Chat: the conversation, shares of every head, the conversation's own attention view, shares by
layer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from tlmviz import figures
from tlmviz.analysis.attention.roles import PARTIES
from tlmviz.figures.attention import roles as role_figures
from tlmviz.ui import deferred, frame, link
from tlmviz.ui.components.attention_view import attention_view, build_payload, encode_overview
from tlmviz.ui.language import _

from . import claims, state
from .data import Data
from .state import Chat

VIEW = "conversation"  # the key of the attention view
HEIGHT = 470  # pixels of the attention view: the lines of the opening conversation
TALL = 300  # pixels of what is said
_OPENED = f"{link.SLOT}opened_talk"  # session: what a head was suggested for
EQUATION = (
    r"\mathrm{share}_{lh}(r) = \frac{1}{|Q|}\sum_{t \in Q}\ \sum_{s:\ \mathrm{role}(s) = r} p^{lh}_{ts},\qquad "
    r"\sum_r \mathrm{share}_{lh}(r) = 1",
    "Each row of attention sums to 1 (Transformer with PyTorch, section 1.2, Eq. 4), and every token has one role, so "
    "the shares of all roles sum to 1. The first token is counted as the sink, whoever wrote it. No map is formed: "
    "strips of rows are summed.",
)


def conversation(model: str) -> None:
    """The system prompt, what was said, and where to go on."""
    st.session_state["_system"] = state.system()
    st.text_area(_("System prompt"), key="_system", height=68, on_change=_set_system, placeholder=_("none"))
    turns = Chat.turns.get()
    with st.container(height=TALL, key="said"):
        for role, content in turns:
            if role != "system":
                with st.chat_message(role):
                    st.text(content)
    said = st.chat_input(_("Say something to the model"))
    with st.container(horizontal=True):  # beside one another on a phone too
        asked = st.button(
            _("Answer"), width="stretch", disabled=turns[-1][0] != "user", help=_("Let the model write the next turn")
        )
        st.button(_("Undo"), on_click=state.undo, width="stretch", help=_("Take back the last turn"))
        st.button(_("Start over"), on_click=state.start_over, width="stretch")
    if said:
        state.say("user", said)
    if said or asked:
        turns = Chat.turns.get()
        with st.spinner(_("{model} answers …", model=model), show_time=True):
            reply = Data(Chat.of_session(model=model, view=link.view())).reply(seed=len(turns))
        state.say("assistant", reply or "…")
        st.rerun()


def _set_system() -> None:
    state.set_system(st.session_state["_system"].strip())


def controls(model: str) -> Chat:
    """Whose words are looked for and from where; while nobody has chosen a head, the one that reads the chosen role
    most."""
    left, right = st.columns([0.66, 0.34])
    role = Chat.role.draw(left)
    Chat.source.draw(right)
    chosen = Chat.of_session(model=model, view=link.view())
    shown = Data(chosen)
    trace, shares = shown.trace, shown.shares[role]
    origin = f"{model}:{role}:{chosen.source}:{chosen.turns}"  # what the best head may change with
    if link.head_is_free() and st.session_state.get(_OPENED) != origin:
        st.session_state[_OPENED] = origin
        link.suggest_head(*divmod(int(shares.argmax()), shares.shape[1]))
    link.share()
    return replace(chosen, view=link.view().fitted(trace.n_layers, trace.n_heads, len(trace)))


def heads(shown: Data) -> None:
    """Every head's share of the chosen role; a click opens the head."""
    role = shown.chosen.role
    figure = role_figures.role_heads(shown.shares[role], role, shown.chosen.view.head, frame.theme(), 380)
    alt = _("Share of each head's attention that goes to {role}", role=role)
    frame.chart(figure, key="role-heads", alt=alt, select="points", on_select=_head_clicked)
    st.caption(claims.one_head(shown))


def _head_clicked() -> None:
    if head := frame.clicked("role-heads", 2):
        link.choose_head(*head)


def attention(shown: Data) -> None:
    """The chosen head on the conversation, its tokens coloured by role."""
    trace, roles = shown.trace, shown.conversation.roles
    sent = {**shown.chosen.view.sent(), "seq": link.sent_by(VIEW).get("seq", 0)}
    if link.untouched("mode") and not link.sent_by(VIEW):
        sent["mode"] = "arcs"  # a conversation reads best as text
    named = PARTIES[:-1]
    payload = build_payload(
        trace,
        sent,
        model=shown.chosen.model,
        origin=f"{shown.chosen.model}:chat",
        palette=figures.palette(),
        overview=encode_overview(trace),
        picture=deferred.next_picture(),
        groups={
            "names": list(named),
            "colors": [role_figures.ROLE_COLORS[role] for role in named],
            "of": [named.index(role) for role in roles],
        },
    )
    attention_view(payload, key=VIEW, height=HEIGHT, on_change=partial(link.remember_sent, VIEW))


def layers(shown: Data) -> None:
    """Where each layer's attention goes, by role."""
    means = {role: share.mean(1) for role, share in shown.shares.items()}
    alt = _("Share of each layer's attention by role, from {source}", source=shown.chosen.source)
    frame.chart(role_figures.role_layers(means, frame.theme()), key="role-layers", alt=alt)


def snippet(shown: Data) -> str:
    """The shares with the public API."""
    turns, (layer, head) = shown.chosen.turns, shown.chosen.view.head
    messages = "".join(f"    {{'role': {role!r}, 'content': {content!r}}},\n" for role, content in turns)
    return f"""\
import tlmviz
from tlmviz.analysis.attention.roles import role_shares

lm = tlmviz.load({shown.chosen.model!r})
talk = lm.chat([
{messages}], add_generation_prompt={turns[-1][0] == "user"})
trace = lm.trace_ids(talk.ids)
shares = role_shares(trace, talk.roles, [len(trace) - 1])  # from the last token
print({{party: float(shares.of(party)[{layer}, {head}]) for party in shares.parties}})
"""

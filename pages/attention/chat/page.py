"""Chat: a conversation in the model's own template, and which heads read whose words."""

import streamlit as st

from pages.attention.chat import compute, controls, examples, guess, view, words
from tlmviz.ui import frame, link


@frame.fragment
def talk(model: str) -> None:
    """The conversation at the left, whose words each head reads at the right, one head below."""
    left, right = st.columns([0.36, 0.64], gap="medium")
    with left:
        view.conversation(model)
    with right:
        choice = controls.choose(model)
        for warning in choice.conversation.warnings:
            st.caption(words.warned(choice, warning))
        shares = compute.shares(model, choice.turns, choice.source)
        choice = controls.open_on(choice, shares)
        if not guess.seen(choice, shares):
            return
        view.heads(choice, shares)
    view.attention(choice)
    view.layers(choice, shares)
    frame.measured(lambda: compute.checks(model, choice.turns))
    frame.what_to_notice(*words.NOTICE)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))
    controls.TURNS.share()
    link.share()


# On a phone the picture of all heads stands before the conversation.
st.html("<style>@media (max-width: 640px) { .stColumn:has(.st-key-said) { order: 1; } }</style>")
frame.heading("Chat", words.CLAIM, examples.examples)
talk(st.session_state["model"])

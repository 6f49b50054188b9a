"""Chat: a conversation in the model's own template, and which heads read whose words."""

import streamlit as st

from pages import IN
from pages.attention.chat import claims, guess, view
from pages.attention.chat.data import Data
from pages.attention.chat.examples import examples
from pages.attention.chat.state import Chat
from tlmviz.ui import deferred, frame


@frame.fragment
def talk(model: str) -> None:
    """The conversation at the left, whose words each head reads at the right, one head below."""
    left, right = st.columns([0.36, 0.64], gap="medium")
    with left:
        view.conversation(model)
    with right:
        shown = Data(view.controls(model))
        for warning in claims.warned(shown):
            st.caption(warning)
        if not guess.seen(shown):
            return
        frame.claim(claims.CLAIMS, shown)
        view.heads(shown)
    frame.next_step(claims.HINTS, shown)
    view.attention(shown)
    deferred.when_painted("beneath-chat", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    view.layers(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))


frame.heading(IN["attention/chat"], examples, Chat)
talk(st.session_state["model"])

"""What is chosen in the picture of the view "Text": the pinned word, the head, and how words are coloured."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from tlmviz.ui import link

from .component import COLORS

KEY = "longreading"
COLORING = link.Field("lcol", COLORS[0], link.choice(COLORS))
_SEQUENCE = "_reading_sequence"  # session: number of the picture's last message


def sequence() -> int:
    """Number of the last message of the picture."""
    return st.session_state.get(_SEQUENCE, 0)


def held() -> str:
    """The origin, a text and a head, of which the browser computes rows itself; empty when there is none."""
    return (_sent() or {}).get("holds", "")


def _sent() -> dict | None:
    return (st.session_state.get(KEY) or {}).get("place")


def keep() -> None:
    """Callback of the picture: a word was pinned, a head opened, or the colours changed."""
    message = _sent()
    if not message:
        return
    st.session_state[_SEQUENCE] = int(message["seq"])
    COLORING.keep(message["color"] if message["color"] in COLORS else COLORS[0])
    if message["head"]:
        link.choose_head(*map(int, message["head"]))
    else:
        link.remember(replace(link.view(), query=int(message["query"]), key=None))

"""The two levels at which a page explains itself, and the switch between them."""

from __future__ import annotations

import streamlit as st

from . import link, texts

PLAIN, MATHS = "plain", "maths"
LABELS = {PLAIN: "Plain", MATHS: "Maths"}
LEVEL = link.Field("read", PLAIN, link.choice(tuple(LABELS)))  # it follows the user across pages
_WIDGET = "_read"  # a key of its own: Streamlit forgets a widget's value on another page


def maths() -> bool:
    """Whether the reader wants equations, sources and the slips of what is quoted."""
    return LEVEL.get() == MATHS


def switch() -> None:
    """The choice of a level."""
    st.session_state[_WIDGET] = LEVEL.get()
    st.segmented_control(
        "Explanations",
        list(LABELS),
        key=_WIDGET,
        format_func=LABELS.__getitem__,
        on_change=lambda: LEVEL.keep(st.session_state[_WIDGET]),
        required=True,
        help=texts.LEVEL_HELP,
    )
    LEVEL.share()

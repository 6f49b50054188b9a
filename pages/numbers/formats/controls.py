"""The number and the format that the page Formats shows: both are set in the picture and kept in the link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from tlmviz.analysis.numbers.formats import BY_KEY, Format
from tlmviz.ui import link

KEY = "numberformats"
LONGEST = 60  # characters of what is typed
FORMAT = link.Field("nfmt", "e4m3", link.choice(tuple(BY_KEY)))
NUMBER = link.Field("nnum", "0.1", link.up_to(LONGEST))
_SENT = f"{link.SLOT}number_sent"  # session: what the picture sent last


@dataclass(frozen=True)
class Choice:
    """A format's key, what is typed, and the name of what the picture begins with."""

    key: str
    text: str
    origin: str

    @property
    def format(self) -> Format:
        """The format."""
        return BY_KEY[self.key]


def choose() -> Choice:
    """What the link or the picture says; another origin where the link, and not the picture, has changed it."""
    FORMAT.share()
    NUMBER.share()
    chosen = FORMAT.get(), NUMBER.get()
    begun = f"{_SENT}_begun"
    if st.session_state.get(_SENT) != chosen:
        st.session_state[begun] = " ".join(chosen)
        st.session_state[_SENT] = chosen
    return Choice(*chosen, st.session_state[begun])


def choose_kind(kinds: tuple[str, ...]) -> str:
    """Which of a model's numbers the table speaks of; gradients at first, which need range most."""
    chosen = st.segmented_control(
        "Numbers",
        kinds,
        default=kinds[-1],
        key="nkind",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    return chosen if chosen in kinds else kinds[-1]


def keep() -> None:
    """Callback of the picture: the number or the format has come to rest."""
    message: dict[str, Any] | None = (st.session_state.get(KEY) or {}).get("number")
    if not message or message.get("format") not in BY_KEY:
        return
    FORMAT.keep(message["format"])
    NUMBER.keep(str(message["text"])[:LONGEST])
    st.session_state[_SENT] = FORMAT.get(), NUMBER.get()

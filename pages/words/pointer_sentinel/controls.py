"""The controls of the page "Pointer sentinel": a text, and how far the sentinel's score is moved."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.errors import BadText
from tlmviz.mixture import MixtureModel
from tlmviz.ui import link

from . import compute

KEY = "copyview"
LONGEST = 250  # words of the page: the pointer's rows are sent whole
DEFAULT = (
    "Once upon a time there was a little girl named Zorbina. Zorbina loved her red ball. One day, Zorbina lost the ball. "
    '"I am sad," said Zorbina. A big dog named Quillo came. Quillo helped Zorbina find the ball.'
)
WORD = link.Field(
    "pword", 0, link.whole(0, LONGEST)
)  # which word is predicted, from 1; 0 is the one copied most


@dataclass(frozen=True)
class Choice:
    """A text, what is added to the sentinel's score, and the word whose prediction is shown (from 1; 0 as in WORD)."""

    text: str
    shift: float
    word: int


def choose(model: MixtureModel) -> Choice | None:
    """Draw the controls and return what they say; None without a text that can be read, which a sentence says."""
    box, slider = st.columns([0.74, 0.26], vertical_alignment="bottom")
    text = box.text_input(
        "Text",
        DEFAULT,
        key="ptext",
        bind="query-params",
        live="150ms",
        label_visibility="collapsed",
    )
    shift = slider.slider(
        "Added to the sentinel's score", -10.0, 10.0, 0.0, 0.5, key="pshift", bind="query-params"
    )
    try:
        count = len(model.encode(text or "").tokens)
        if not 2 <= count <= LONGEST:
            raise BadText(f"This text has {count:,} words and marks; this page shows 2 to {LONGEST}.")
    except BadText as error:
        (st.warning if text else st.info)(str(error))
        return None
    WORD.share()
    return Choice(text or "", float(shift), WORD.get())


def keep() -> None:
    """Callback of the picture: another word is looked at."""
    message = (st.session_state.get(KEY) or {}).get("word")
    if message is not None:
        WORD.keep(min(max(int(message), 0), LONGEST))


def models() -> tuple[MixtureModel, MixtureModel]:
    """The mixture, and its twin without a pointer."""
    return compute.model("stories-sentinel"), compute.model("stories-sentinel-plain")

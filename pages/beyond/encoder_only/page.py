"""Encoder-only: hidden words guessed from both sides, what [CLS] reads, and three kinds of models on one sentence."""

import streamlit as st

from pages import IN
from pages.beyond.encoder_only import claims, data, guess, view
from pages.beyond.encoder_only.data import Data
from pages.beyond.encoder_only.examples import examples
from pages.beyond.encoder_only.state import CLS, HIDDEN, Choice
from tlmviz.errors import BadText
from tlmviz.ui import address, below, frame


@frame.fragment
def show() -> None:
    """The controls, and the chosen part of the page."""
    try:
        shown = data.compute(view.controls())
    except BadText as error:
        st.warning(frame.worded(error))
        return
    part = shown.chosen.part
    address.pictures_read(model=data.NAME if part in (HIDDEN, CLS) else " · ".join(data.THREE))
    if not guess.seen(shown):
        return
    frame.claim(claims.CLAIMS, shown)
    view.picture(shown)
    frame.next_step(claims.HINTS[part], shown)
    below.after(part in (HIDDEN, CLS), f"beneath-{part[:4].strip()}", lambda: _beneath(shown))


def _beneath(shown: Data) -> None:
    frame.claims(claims.CLAIMS, shown, more=claims.notice(shown), maths=claims.maths())
    frame.badges(shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))


frame.heading(IN["beyond/encoder_only"], examples, Choice)
show()

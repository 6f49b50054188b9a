"""Alignment & coverage: where each translated word looked, what was looked at twice or never, and what that costs."""

import streamlit as st

from pages import IN
from pages.translation.alignment.by_hand import page as by_hand
from pages.translation.alignment.by_hand.state import Hand
from pages.translation.alignment.copied import page as copied
from pages.translation.alignment.copied.state import Pointing
from pages.translation.alignment.examples import examples
from pages.translation.alignment.forced import page as forced
from pages.translation.alignment.forced.state import Forced
from pages.translation.alignment.ribbons import page as ribbons
from pages.translation.alignment.ribbons.state import Ribbons
from pages.translation.alignment.scores import page as scores
from pages.translation.alignment.scores.state import Scores
from pages.translation.alignment.state import BY_HAND, COPIED, FORCE, RIBBONS, SCORES, TRANSLATION, TWINS, Alignment
from pages.translation.alignment.twins import page as twins
from pages.translation.alignment.twins.state import Twins
from pages.translation.alignment.written import page as written
from tlmviz.ui import frame, translation

PARTS = {RIBBONS: ribbons.show, TRANSLATION: written.show, FORCE: forced.show, SCORES: scores.show}
WITHOUT = {BY_HAND: by_hand.show, TWINS: twins.show, COPIED: copied.show}  # parts that need no sentence


@frame.fragment
def show(model: str) -> None:
    """The sentence, what to look at, and the chosen part of the page."""
    text = translation.sentence_box(translation.model(model))
    view = Alignment.view.draw()
    if view in WITHOUT:
        WITHOUT[view](model, text)
    elif text is not None:
        PARTS[view](model, text)
    else:
        Alignment.of_session(model=model, text="")


frame.heading(IN["translation/alignment"], examples, Alignment, Ribbons, Hand, Twins, Forced, Scores, Pointing)
show(st.session_state["mt"])

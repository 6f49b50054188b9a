"""Start: a sentence read by a model, the chapters as pictures, and the lessons."""

import streamlit as st

from pages import IN
from pages.start.start import claims, data, view
from pages.start.start.state import Start
from tlmviz.ui import compute as shared
from tlmviz.ui import deferred, engine, frame, inputs
from tlmviz.ui.language import _
from tlmviz.ui.lessons import cards

_SHOWN = "_start_shown"


@frame.fragment
def look() -> None:
    """The sentence and what looks at what in it."""
    text = inputs.text_box(shared.model(data.MODEL), **engine.pause(data.MODEL))
    shown = st.session_state[_SHOWN] = None if text is None else data.Data(Start.of_session(text=text))
    if shown is not None:
        frame.claim(claims.CLAIMS, shown)
        view.look(shown)
        frame.claims(claims.CLAIMS, shown)


def chapters() -> None:
    """The map of chapters on the sentence."""
    if shown := st.session_state.get(_SHOWN):
        st.markdown(_("## Chapters"))
        view.chapters(shown)


frame.heading(IN["start/start"], lambda: None, Start, count=f"{shared.configs()[data.MODEL].vocab_size:,}")
look()
deferred.when_painted("chapters", chapters)
st.markdown(_("## Lessons"))
cards.lessons()
frame.what_to_notice(*map(_, claims.NOTICE))

"""Encoder & decoder: the three attentions of a translating Transformer, the shifted target, and what leaks without the
mask."""

import streamlit as st

from pages import IN
from pages.translation.encoder_decoder import claims, data, view
from pages.translation.encoder_decoder.examples import examples
from pages.translation.encoder_decoder.state import Decoding
from tlmviz.ui import below, frame, translation
from tlmviz.ui.language import _


@frame.fragment
def show(model: str) -> None:
    """The sentence and its translation, three maps, the leak, and where K and V come from."""
    with frame.picture_first():
        chosen = view.controls(model)
        if chosen is None:
            return
        shown = data.Data(chosen)
        with st.spinner(_("Reading with and without the mask …"), show_time=True):
            frame.claim(claims.CLAIMS, shown)
        view.maps(shown)
    frame.next_step(claims.HINTS, shown)
    below.when_painted("beneath-decoding", lambda: _beneath(shown), seen=False)


def _beneath(shown: data.Data) -> None:
    view.leak(shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    view.parts(shown)
    frame.measured(lambda: shown.checks)
    frame.equation(*view.EQUATION)
    frame.copy_as_python(view.snippet(shown))


frame.heading(IN["translation/encoder_decoder"], examples, Decoding)
name = st.session_state["mt"]
if translation.model(name).config.kind == "encoder-decoder":
    show(name)
else:
    view.offer_transformer(name)

"""Context extension: RoPE's frequencies scaled so that a trained model reads beyond its training length, live."""

import streamlit as st

from pages.positions.context_extension import compute as extension_state
from pages.positions.context_extension import view as extension_parts
from tlmviz.errors import Error
from tlmviz.ui import compute, frame, link, long_text, rope


@frame.fragment
def extended(name: str) -> None:
    """Text, scale and schemes; loss beside frequencies; a change of scale with a full cache."""
    source, beside, times, scale, toggle = st.columns(
        [0.28, 0.14, 0.21, 0.2, 0.17], vertical_alignment="center"
    )
    text = long_text.source_menu(source, beside, "xsrc")[1]
    read, s = extension_state.reading(name, times), extension_state.scale(scale)
    if text is None:
        return
    schemes = extension_state.schemes()
    help_ = "Subtract the unscaled model's loss, token by token"
    change = toggle.toggle("Change only", key="xdiff", bind="query-params", help=help_)
    every = long_text.encoded(name, text)
    ids = every[:read]
    if len(ids) < 2:
        st.info("One token has no next one to predict; give a longer text.")
        return
    places, note = st.columns([0.62, 0.38], gap="small"), st.empty()
    extension_parts.losses(name, ids, schemes, s, change, places)
    note.caption(extension_parts.about(name, every, ids))
    frame.what_to_notice(*extension_parts.points(name))
    extension_parts.switch(name, ids, s)
    frame.badges(extension_state.checks(name, ids[: compute.model(name).config.context]))
    frame.equation(extension_parts.EQUATION, extension_parts.SOURCE)
    frame.copy_as_python(extension_parts.snippet(name, text, ids, schemes, s))
    link.share()


frame.heading("Context extension", "Slower RoPE planes let a trained model read beyond its training length.")
model = st.session_state["model"]
try:
    if compute.model(model).config.positions.kind == "rope":
        extended(model)
    else:
        rope.offer_rope_models(model)
except Error as error:
    st.error(str(error))

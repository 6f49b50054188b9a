"""KV cache: generation token by token, what is kept and what is not, and what that costs in bytes and time."""

import streamlit as st

from pages.caches.kv_cache import calculator as cache_calculator
from pages.caches.kv_cache import compute as cache_state
from pages.caches.kv_cache import view as cache_parts
from tlmviz.ui import compute, frame, inputs, link

# The picture of a step needs about 900 px: a phone scrolls it sideways.
_WIDE = "<style>.st-key-wide { overflow-x: auto; } .st-key-wide > div { min-width: 900px; }</style>"


@frame.fragment
def show(name: str) -> None:
    """The text, how to generate, and the chosen view. The calculator needs no text."""
    text = inputs.text_box(compute.model(name))
    asked = cache_state.controls(compute.model(name).config)
    link.share()
    if asked.view == cache_state.CALCULATOR:
        cache_calculator.calculator()
    elif text is None:
        return
    elif asked.view == cache_state.SIDE_BY_SIDE:
        cache_parts.side_by_side(text)
    elif asked.view == cache_state.COST:
        cache_parts.with_and_without(name, text, asked)
    else:
        cache_parts.token_by_token(name, text, asked)


st.html(_WIDE)
frame.heading("KV cache", "A new token needs all old keys and values, and no old query.")
show(st.session_state["model"])

"""Draws what parts of the page Attention family share: the text with the menu of parts, menus of heads, and how much
of a text another model reads."""

from __future__ import annotations

import streamlit as st

from tlmviz.ui import compute, inputs, link
from tlmviz.ui.language import _

from .data import Reading
from .state import CALCULATOR, ZOO, Family

WIDTH = 880  # pixels that a picture of several panels needs


def controls(model: str) -> Family | None:
    """Draw the text and the menu of parts; what they say. None, with a sentence, where a part has no text to read."""
    text = inputs.text_box(compute.model(model))
    view = Family.view.draw()
    chosen = Family.of_session(model=model, text=text or "")
    return None if text is None and view not in (CALCULATOR, ZOO) else chosen


def head_menus(view: str, reading: Reading, layers: int, heads: int) -> tuple[int, int]:
    """Menus of so many layers and heads; at first a head of the model that is read by."""
    link.open_on(f"family:{view}:{reading.model}", lambda: compute.previous_head(reading.model, reading.text))
    chosen = inputs.head_menus(layers, heads, st.columns([0.14, 0.14, 0.72])[:2])
    link.FIELDS["head"].share()
    return chosen


def shortened(model: str, text: str) -> str:
    """The part of a text that a model other than the loaded one reads; a sentence says what was cut."""
    lm = compute.model(model)
    part, tokens = lm.fit(text)
    if part != text:
        limit = f"{lm.config.context:,}"
        said = _(
            "This text has {tokens} tokens and {model} reads {limit}: the first {limit} are shown.",
            tokens=f"{tokens:,}",
            model=model,
            limit=limit,
        )
        st.warning(said)
    return part

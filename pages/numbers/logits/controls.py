"""The controls of the page Logits: which of its three questions, a text, and a head, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute, frame, inputs, link

from . import compute as measures

VIEWS = SCORES, HEAD, DIRECTIONS = "Scores: √d", "Output logits: √E", "Isotropy"


@dataclass(frozen=True)
class Choice:
    """One of VIEWS, a model and the text it reads, and the layer and head whose scores are shown."""

    view: str
    model: str
    text: str
    layer: int = 0
    head: int = 0

    @property
    def lm(self) -> LanguageModel:
        """The model that reads."""
        return compute.model(self.model)

    @property
    def trace(self) -> Trace:
        """Its pass over the text."""
        return compute.trace(self.model, self.text)


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None, with a sentence, where there is no text."""
    text = inputs.text_box(compute.model(model))
    with frame.after_picture(pairs=False):
        left, *places = st.columns([0.5, 0.14, 0.14, 0.22], vertical_alignment="center")
        view = left.segmented_control(
            "View",
            VIEWS,
            default=SCORES,
            key="lgview",
            bind="query-params",
            required=True,
            label_visibility="collapsed",
        )
        if text is None:
            return None
        if view != SCORES:
            return Choice(view, model, text)
        config = compute.model(model).config
        link.open_on(f"logits:{model}", lambda: measures.strongest(model, text))
        return Choice(view, model, text, *inputs.head_menus(config.n_layers, config.n_heads, places))

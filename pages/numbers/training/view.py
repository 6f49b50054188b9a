"""Draws what parts of the page Training share: the choice between stories and a text."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from tlmviz.ui import compute, inputs

from .state import STORIES, Reading


def text(place: DeltaGenerator, model: str) -> tuple[bool, str | None]:
    """Whether there is something to read, and the text; None for a batch of stories."""
    batch = Reading.batch.draw(place)
    Reading.of_session()
    if batch == STORIES:
        return True, None
    typed = inputs.text_box(compute.model(model))
    return typed is not None, typed

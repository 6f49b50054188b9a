"""Draws the view Dropout: masks on an activation, and the text's loss under masks over the whole model."""

from __future__ import annotations

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.figures import readable_all
from tlmviz.figures.numbers import norms as figures
from tlmviz.ui import below, frame

from ..controls import Choice
from . import compute, controls, words
from .component import dropout_view, payload

SHOWN = 26  # channels that are drawn


def show(choice: Choice, room: DeltaGenerator) -> None:
    """The view, top to bottom."""
    place = controls.choose_place(choice, room)
    masks(choice, place)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    below.when_painted("beneath-dropout", lambda: _beneath(choice))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, place, controls.rate()))


def masks(choice: Choice, place: str) -> None:
    """One activation, drawn in the browser."""
    x, tokens = compute.activation(choice.model, choice.text, place)
    loudest = int(np.abs(x).mean(0).argmax())
    picture = controls.PICTURE
    data = payload(
        x,
        title=f"{choice.model}: tokens by channels",
        tokens=readable_all(tokens),
        first=max(0, min(loudest - SHOWN // 2, x.shape[1] - SHOWN)),
        origin=picture.origin(choice, place),
        state=picture.state(),
        picture=below.next_picture(),
    )
    dropout_view(data, key=picture.key, on_change=picture.keep)


def _beneath(choice: Choice) -> None:
    """The loss of the text under masks over all places at once."""
    st.markdown(f"#### {words.OWN}")
    p, seed = controls.rate(), controls.PICTURE.fields["seed"].get()
    found = compute.losses(choice.model, choice.text, p, seed)
    figure = figures.masked_losses(found, frame.theme(), title=words.losses_title(choice, p))
    frame.chart(figure, key="maskedlosses", alt=words.MASKEDLOSSES_ALT)
    frame.caption(words.losses_caption(found))
    frame.measured(lambda: compute.measured(choice.model, choice.text))
